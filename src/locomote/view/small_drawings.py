"""Small drawings (SVG) of a report: a frame with its axes, lines, and places in it."""

from collections.abc import Sequence

import numpy as np

from locomote.runs.summary import number
from locomote.view.page_words import as_html

WIDE, HIGH, MARGIN = 360.0, 240.0, 34.0
GAP = 1e-12


def frame(title: str, inside: str, across: tuple[str, str], up: tuple[str, str], words: tuple[str, str]) -> str:
    """A drawing with the ends of its axes; words : below and beside."""
    low, high = MARGIN, HIGH - MARGIN
    text = [
        f'<text x="{MARGIN}" y="16" font-weight="600">{as_html(title)}</text>',
        f'<text x="{MARGIN}" y="{HIGH - 18}">{as_html(across[0])}</text>',
        f'<text x="{WIDE - 8}" y="{HIGH - 18}" text-anchor="end">{as_html(across[1])}</text>',
        f'<text x="{WIDE / 2}" y="{HIGH - 4}" text-anchor="middle">{as_html(words[0])}</text>',
        f'<text x="{MARGIN - 4}" y="{high}" text-anchor="end">{as_html(up[0])}</text>',
        f'<text x="{MARGIN - 4}" y="{low + 10}" text-anchor="end">{as_html(up[1])}</text>',
        f'<text x="10" y="{HIGH / 2}" transform="rotate(-90 10 {HIGH / 2})" text-anchor="middle">{as_html(words[1])}</text>',
        f'<rect x="{MARGIN}" y="{low}" width="{WIDE - 8 - MARGIN}" height="{high - low}" fill="none" stroke="#bbb"/>',
    ]
    return f'<svg viewBox="0 0 {WIDE:g} {HIGH:g}" role="img" aria-label="{as_html(title)}">{inside}{"".join(text)}</svg>'


def placed(x: np.ndarray, y: np.ndarray, *, equal: bool) -> tuple[np.ndarray, np.ndarray, tuple, tuple]:
    """Places on the drawing, and the ends of both axes; equal : the same scale along both."""
    ends = []
    for values in (x, y):
        low, high = float(np.min(values)), float(np.max(values))
        ends.append((low, high) if high - low > GAP else (low - 0.5, high + 0.5))
    width, height = WIDE - 8 - MARGIN, HIGH - 2 * MARGIN
    if equal:
        scale = max((ends[0][1] - ends[0][0]) / width, (ends[1][1] - ends[1][0]) / height)
        middles = [(low + high) / 2 for low, high in ends]
        ends = [(m - scale * size / 2, m + scale * size / 2) for m, size in zip(middles, (width, height), strict=True)]
    (a, b), (c, d) = ends
    return MARGIN + (x - a) / (b - a) * width, HIGH - MARGIN - (y - c) / (d - c) * height, (a, b), (c, d)


def line(x: np.ndarray, y: np.ndarray, color: str, width: float = 1.6, opacity: float = 1.0) -> str:
    """A line through points of the drawing."""
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{width}" opacity="{opacity:.2f}"/>'


def ends_of(pair: Sequence[float]) -> tuple[str, str]:
    """Both ends of an axis as words."""
    size = max(abs(pair[0]), abs(pair[1]))
    return number(pair[0], size), number(pair[1], size)
