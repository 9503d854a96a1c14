"""Triangles into pixels: a small rasteriser with a depth buffer, compiled, without a display or a graphics card.

Points are in the frame of the camera: x right, y up, looking along -z. A pixel keeps 1 / distance, which is linear on the screen,
so that of two faces the one with the larger value is nearer.

    screen   u = cx - f x / z ,   v = cy + f y / z                                          (1)
    light    ambient + (1 - ambient) * |n . l| on the lit side, less on the other           (2)
"""

from locomote.engine.source import kernel

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
def draw_ground(ray_x, ray_y, ray_z, eye, focal, ground, spacing, center, reach, colors, depth, image):
    """A chequered plane z = ground seen from eye (3,): fields of `spacing`, fading out at `reach` from `center`.

    ray_x, ray_y, ray_z : (3,) the axes of the camera in the world ; colors : (3, 3) of light fields, dark fields, lines
    """
    height, width = depth.shape[0], depth.shape[1]
    for y in range(height):
        for x in range(width):
            a, b = (x + 0.5 - 0.5 * width) / focal, (0.5 * height - y - 0.5) / focal
            dz = a * ray_x[2] + b * ray_y[2] - ray_z[2]
            if dz * (ground - eye[2]) <= 0.0:
                continue
            s = (ground - eye[2]) / dz
            px = eye[0] + s * (a * ray_x[0] + b * ray_y[0] - ray_z[0])
            py = eye[1] + s * (a * ray_x[1] + b * ray_y[1] - ray_z[1])
            away = ((px - center[0]) ** 2 + (py - center[1]) ** 2) ** 0.5 / reach
            if away >= 1.0:
                continue
            i, j = px / spacing, py / spacing
            field = (int(i // 1.0) + int(j // 1.0)) % 2
            fade = (1.0 - away) ** 0.7
            for k in range(3):
                image[y, x, k] += fade * (colors[field, k] - image[y, x, k])
            depth[y, x] = 0.999999 / s


@kernel
def draw_shadow(points, faces, focal, near, depth, mask):
    """Mark the pixels of mask (h, w) that faces cover and that are not behind anything."""
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
                if wa >= 0.0 and wb >= 0.0 and wa + wb <= 1.0:
                    mask[y, x] = 1
