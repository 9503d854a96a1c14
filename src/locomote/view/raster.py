"""Triangles into pixels: a small rasteriser with a depth buffer, compiled, without a display or a graphics card.

Points are in the frame of the camera: x right, y up, looking along -z. A pixel keeps 1 / distance, which is linear on the
screen, so that of two faces the one with the larger value is nearer.

    screen   u = cx - f x / z ,   v = cy + f y / z                                          (1)
    light    ambient + (1 - ambient) * |n . l| on the lit side, less on the other           (2)
"""

from math import exp, sin

from locomote.compiler.source import kernel

AMBIENT = 0.42


@kernel
def draw_faces(points, faces, colors, lights, focal, near, depth, image, opacity):
    """Draw faces (m, 3) of points (n, 3) into image (h, w, 3) and depth (h, w).

    colors : (m, 3) 0 to 1 ; lights : (m, 3) brightness at the corners ; opacity : (m,) below 1 shines through
    """
    height, width = depth.shape[0], depth.shape[1]
    cx, cy = 0.5 * width, 0.5 * height
    for m in range(faces.shape[0]):
        a, b, c = faces[m, 0], faces[m, 1], faces[m, 2]
        za, zb, zc = -points[a, 2], -points[b, 2], -points[c, 2]
        if za < near or zb < near or zc < near:
            continue
        ia, ib, ic = 1.0 / za, 1.0 / zb, 1.0 / zc
        xa, ya = cx + focal * points[a, 0] * ia, cy - focal * points[a, 1] * ia
        xb, yb = cx + focal * points[b, 0] * ib, cy - focal * points[b, 1] * ib
        xc, yc = cx + focal * points[c, 0] * ic, cy - focal * points[c, 1] * ic
        area = (xb - xa) * (yc - ya) - (yb - ya) * (xc - xa)
        if not (area > 1e-9 or area < -1e-9):
            continue
        low_x, high_x = min(xa, xb, xc), max(xa, xb, xc)
        low_y, high_y = min(ya, yb, yc), max(ya, yb, yc)
        if high_x < 0.0 or low_x >= width or high_y < 0.0 or low_y >= height:
            continue
        x0, x1 = int(max(0.0, low_x)), int(min(width - 1.0, high_x + 1.0))
        y0, y1 = int(max(0.0, low_y)), int(min(height - 1.0, high_y + 1.0))
        over = 1.0 / area
        keep = opacity[m]
        for y in range(y0, y1 + 1):
            py = y + 0.5
            for x in range(x0, x1 + 1):
                px = x + 0.5
                wa = ((xb - px) * (yc - py) - (yb - py) * (xc - px)) * over
                wb = ((xc - px) * (ya - py) - (yc - py) * (xa - px)) * over
                wc = 1.0 - wa - wb
                if wa >= 0.0 and wb >= 0.0 and wc >= 0.0:
                    d = wa * ia + wb * ib + wc * ic
                    if d > depth[y, x]:
                        light = wa * lights[m, 0] + wb * lights[m, 1] + wc * lights[m, 2]
                        if keep >= 1.0:
                            depth[y, x] = d
                        for k in range(3):
                            image[y, x, k] += keep * (light * colors[m, k] - image[y, x, k])


@kernel
def draw_background(side, up, back, eye, focal, ground, spacing, center, reach, sky, fields, depth, image):
    """Sky from sky[0] above to sky[1] below, and a chequered plane z = ground seen from eye (3,), unless ground is NaN.

    side, up, back : (3,) the axes of the camera in the world, side level ; spacing : of the fields, which fade out at `reach`
    from `center` ; fields : (2, 3) their colours. Since side is level, a row of pixels sees one distance.
    """
    height, width = depth.shape[0], depth.shape[1]
    for y in range(height):
        part = (y + 0.5) / height
        for x in range(width):
            depth[y, x] = 0.0
            for k in range(3):
                image[y, x, k] = (1.0 - part) * sky[0, k] + part * sky[1, k]
        b = (0.5 * height - y - 0.5) / focal
        dz = b * up[2] - back[2]
        if not dz * (ground - eye[2]) > 0.0:
            continue
        s = (ground - eye[2]) / dz
        px, py = eye[0] + s * (b * up[0] - back[0]), eye[1] + s * (b * up[1] - back[1])
        for x in range(width):
            a = s * (x + 0.5 - 0.5 * width) / focal
            gx, gy = px + a * side[0], py + a * side[1]
            away = ((gx - center[0]) * (gx - center[0]) + (gy - center[1]) * (gy - center[1])) / (reach * reach)
            if away < 1.0:
                i, j = gx / spacing, gy / spacing
                n, m = int(i), int(j)
                n, m = n - 1 if i < n else n, m - 1 if j < m else m
                field, fade = (n + m) & 1, (1.0 - away) * (1.0 - 0.4 * away)
                for k in range(3):
                    image[y, x, k] += fade * (fields[field, k] - image[y, x, k])
                depth[y, x] = 0.999999 / s


@kernel
def draw_water(side, up, back, eye, focal, level, wave, center, reach, clear, tint, glint, depth, image):
    """Water between the eye and what is drawn: colours fade to `tint` (3,) over the distances clear[0] to clear[0] + clear[1];
    then its surface z = level as seen from above, unless that is NaN, with waves of a length, of the colour `glint` (3,)."""
    height, width = depth.shape[0], depth.shape[1]
    k = 6.283185307179586 / wave
    for y in range(height):
        b = (0.5 * height - y - 0.5) / focal
        dz = b * up[2] - back[2]
        seen = dz * (level - eye[2]) > 0.0
        s = (level - eye[2]) / dz if seen else 0.0
        px, py = eye[0] + s * (b * up[0] - back[0]), eye[1] + s * (b * up[1] - back[1])
        for x in range(width):
            if depth[y, x] > 0.0:
                far = 1.0 / depth[y, x] - clear[0]
                share = 0.75 * (1.0 - exp(-far / clear[1])) if far > 0.0 else 0.0
                for c in range(3):
                    image[y, x, c] += share * (tint[c] - image[y, x, c])
            if not (seen and (depth[y, x] <= 0.0 or 1.0 / depth[y, x] > s)):
                continue
            a = s * (x + 0.5 - 0.5 * width) / focal
            gx, gy = px + a * side[0], py + a * side[1]
            away = ((gx - center[0]) * (gx - center[0]) + (gy - center[1]) * (gy - center[1])) / (reach * reach)
            if away < 1.0:
                u, v = k * gx, k * gy
                crest = sin(u + 1.1 * sin(0.7 * v + 0.4)) + sin(0.8 * v - 0.6 * u + 1.3 * sin(0.5 * u))
                ridge = 1.0 - 0.5 * abs(crest)
                ridge = ridge * ridge * ridge
                share = (1.0 - away) * (0.03 + 0.25 * ridge * ridge)
                for c in range(3):
                    image[y, x, c] += share * (glint[c] - image[y, x, c])


@kernel
def smaller(image, smooth, picture):
    """The mean of each block of smooth x smooth pixels, as bytes."""
    for y in range(picture.shape[0]):
        for x in range(picture.shape[1]):
            for k in range(3):
                total = 0.0
                for i in range(smooth):
                    for j in range(smooth):
                        total += image[smooth * y + i, smooth * x + j, k]
                picture[y, x, k] = int(max(0.0, min(255.0, 255.0 * total / (smooth * smooth) + 0.5)))


@kernel
def draw_shadow(points, faces, focal, near, depth, mask):
    """Set mask (h, w) to one where faces cover the ground."""
    height, width = depth.shape[0], depth.shape[1]
    cx, cy = 0.5 * width, 0.5 * height
    for m in range(faces.shape[0]):
        a, b, c = faces[m, 0], faces[m, 1], faces[m, 2]
        za, zb, zc = -points[a, 2], -points[b, 2], -points[c, 2]
        if za < near or zb < near or zc < near:
            continue
        xa, ya = cx + focal * points[a, 0] / za, cy - focal * points[a, 1] / za
        xb, yb = cx + focal * points[b, 0] / zb, cy - focal * points[b, 1] / zb
        xc, yc = cx + focal * points[c, 0] / zc, cy - focal * points[c, 1] / zc
        area = (xb - xa) * (yc - ya) - (yb - ya) * (xc - xa)
        if not (area > 1e-9 or area < -1e-9):
            continue
        low_x, high_x, low_y, high_y = min(xa, xb, xc), max(xa, xb, xc), min(ya, yb, yc), max(ya, yb, yc)
        if high_x < 0.0 or low_x >= width or high_y < 0.0 or low_y >= height:
            continue
        over = 1.0 / area
        for y in range(int(max(0.0, low_y)), int(min(height - 1.0, high_y + 1.0)) + 1):
            for x in range(int(max(0.0, low_x)), int(min(width - 1.0, high_x + 1.0)) + 1):
                px, py = x + 0.5, y + 0.5
                wa = ((xb - px) * (yc - py) - (yb - py) * (xc - px)) * over
                wb = ((xc - px) * (ya - py) - (yc - py) * (xa - px)) * over
                if wa >= 0.0 and wb >= 0.0 and wa + wb <= 1.0 and depth[y, x] > 0.0:
                    mask[y, x] = 1.0
