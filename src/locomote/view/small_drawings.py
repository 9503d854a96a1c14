"""Small drawings (SVG) of a report: a frame with axes and round numbers along them, lines, cells, a scale of colours, and
places in it."""

from collections.abc import Sequence

import numpy as np

from locomote.runs.summary import number
from locomote.view.colors import SCALE
from locomote.view.page_words import as_html

WIDE, HIGH = 400.0, 262.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 390.0, 36.0, 222.0  # sides of the field
LONG = 52  # letters of a line of a title
GAP = 1e-12
Ends = tuple[float, float]


def frame(title: str, inside: str, across: Ends | None, up: Ends | None, words: tuple[str, str], scale: str = "") -> str:
    """A drawing; across, up : values at the ends of the field, None where they mean nothing; words : below and beside; scale :
    of colours, by `color_scale`."""
    marks = "".join(ticks(across, 5, level=True)) if across is not None else ""
    marks += "".join(ticks(up, 4, level=False)) if up is not None else ""
    heading = "".join(
        f'<text x="{LEFT}" y="{14 + 14 * k}" class="heading">{as_html(part)}</text>' for k, part in enumerate(in_lines(title))
    )
    middle = (TOP + BOTTOM) / 2
    text = [
        f'<rect x="{LEFT}" y="{TOP}" width="{RIGHT - LEFT}" height="{BOTTOM - TOP}" fill="none" stroke="#aaa"/>',
        f'<text x="{(LEFT + RIGHT) / 2}" y="{HIGH - 6}" text-anchor="middle">{as_html(words[0])}</text>',
        f'<text x="11" y="{middle}" transform="rotate(-90 11 {middle})" text-anchor="middle">{as_html(words[1])}</text>',
    ]
    label = as_html(title)
    whole = f"{inside}{heading}{marks}{''.join(text)}{scale}"
    return f'<svg viewBox="0 0 {WIDE:g} {HIGH:g}" role="img" aria-label="{label}">{whole}</svg>'


def in_lines(title: str) -> list[str]:
    """A title in one line, or in two that end where a comma stands."""
    if len(title) <= LONG or ", " not in title:
        return [title]
    at = title.rfind(", ", 0, LONG)
    return [title] if at < 0 else [title[: at + 1], title[at + 2 :]]


def ticks(ends: Ends, count: int, *, level: bool) -> list[str]:
    """Short lines at round values along an axis, with these."""
    low, high = ends
    if not high > low:
        return []
    raw = (high - low) / count
    power = 10.0 ** np.floor(np.log10(raw))
    step = float(min(k * power for k in (1, 2, 5, 10) if k * power >= raw * 0.9999))
    digits = max(0, -int(np.floor(np.log10(step) + 1e-9)))
    found = []
    for k in range(int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9)) + 1):
        share = (k * step - low) / (high - low)
        said = f"{k * step:.{digits}f}" if 1e-4 <= step < 1e5 else f"{k * step:.3g}"
        if level:
            x = LEFT + share * (RIGHT - LEFT)
            found.append(f'<path d="M{x:.1f} {BOTTOM}v4" stroke="#888"/>')
            found.append(f'<text x="{x:.1f}" y="{BOTTOM + 16}" text-anchor="middle">{said}</text>')
        else:
            y = BOTTOM - share * (BOTTOM - TOP)
            found.append(f'<path d="M{LEFT - 4} {y:.1f}h4" stroke="#888"/>')
            found.append(f'<text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{said}</text>')
    return found


def color_scale(low: float, high: float, unit: str) -> str:
    """The scale of colours of a map, below its right end."""
    parts, wide = len(SCALE) - 1, 56.0
    left, top = RIGHT - wide - 70, HIGH - 15
    found, one = "", wide / (4 * parts)
    for k in range(4 * parts):
        n, rest = divmod(k, 4)
        r, g, b = (round(255 * float((1 - rest / 4) * SCALE[n][c] + rest / 4 * SCALE[n + 1][c])) for c in range(3))
        x = left + k * one
        found += f'<rect x="{x:.1f}" y="{top}" width="{one + 0.3:.1f}" height="9" fill="#{r:02x}{g:02x}{b:02x}"/>'
    ends = f'<text x="{left - 4}" y="{top + 9}" text-anchor="end">{as_html(number(low, high))}</text>'
    return found + ends + f'<text x="{left + wide + 4}" y="{top + 9}">{as_html(number(high))} {as_html(unit)}</text>'


def cells(colors: np.ndarray) -> str:
    """A map: (columns, rows, 3) colours from 0 to 255, the first row below."""
    wide, high = (RIGHT - LEFT) / colors.shape[0], (BOTTOM - TOP) / colors.shape[1]
    inside = "".join(
        f'<rect x="{LEFT + i * wide:.1f}" y="{BOTTOM - (j + 1) * high:.1f}" width="{wide + 0.3:.1f}" '
        f'height="{high + 0.3:.1f}" fill="#{r:02x}{g:02x}{b:02x}"/>'
        for i, column in enumerate(np.round(colors).astype(int)) for j, (r, g, b) in enumerate(column)
    )  # fmt: skip
    return f'<g shape-rendering="crispEdges">{inside}</g>'


def placed(x: np.ndarray, y: np.ndarray, *, equal: bool) -> tuple[np.ndarray, np.ndarray, Ends, Ends]:
    """Places on the drawing, and the ends of both axes; equal : the same scale along both."""
    ends = []
    for values in (x, y):
        low, high = float(np.min(values)), float(np.max(values))
        spare = 0.04 * (high - low)
        ends.append((low - spare, high + spare) if high - low > GAP else (low - 0.5, high + 0.5))
    width, height = RIGHT - LEFT, BOTTOM - TOP
    if equal:
        scale = max((ends[0][1] - ends[0][0]) / width, (ends[1][1] - ends[1][0]) / height)
        middles = [(low + high) / 2 for low, high in ends]
        ends = [(m - scale * size / 2, m + scale * size / 2) for m, size in zip(middles, (width, height), strict=True)]
    (a, b), (c, d) = ends
    return LEFT + (x - a) / (b - a) * width, BOTTOM - (y - c) / (d - c) * height, (a, b), (c, d)


def line(x: np.ndarray, y: np.ndarray, color: str, width: float = 1.6, opacity: float = 1.0) -> str:
    """A line through points of the drawing."""
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{width}" opacity="{opacity:.2f}"/>'


def legend(names: Sequence[str], colors: Sequence[str]) -> str:
    """Names with their colours, in the field from above."""
    rows = [
        f'<path d="M{LEFT + 6} {TOP + 11 + 13 * k}h14" stroke="{color}" stroke-width="2.4"/>'
        f'<text x="{LEFT + 24}" y="{TOP + 15 + 13 * k}" class="foot">{as_html(name)}</text>'
        for k, (name, color) in enumerate(zip(names, colors, strict=True))
    ]
    wide, high = 34 + 6 * max(map(len, names)), 13 * len(names) + 8
    behind = f'<rect x="{LEFT + 1}" y="{TOP + 1}" width="{wide}" height="{high}" fill="#fff" opacity=".75"/>'
    return behind + "".join(rows)
