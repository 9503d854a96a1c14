"""Colours of scenes: told apart by eyes of all kinds, and the same in films, reports and the viewer."""

import numpy as np

BODIES = ("#4c78a8", "#e39b4b", "#5aa88c", "#c886b5", "#d8c15c", "#7fb6dd", "#8d7cc0", "#9a9a9a")
ARROWS = {"reaction": "#d55e00", "drive": "#0072b2", "environment": "#009e73", "weight": "#7f7f7f"}
METAL, DARK, PATH, CENTER, SURFACE = "#8a8f98", "#3d4148", "#d55e00", "#f0e442", "#b9c2b0"
RUNS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6a3d9a", "#7f7f7f")
# a few colours of the scale from dark blue over green to yellow that reads in grey too (own table, rounded)
SCALE = np.array([[0.27, 0.0, 0.33], [0.23, 0.32, 0.55], [0.13, 0.57, 0.55], [0.37, 0.79, 0.38], [0.99, 0.91, 0.14]])


def rgba(text: str, alpha: float = 1.0) -> tuple[float, float, float, float]:
    """#rrggbb as numbers from 0 to 1."""
    red, green, blue = (int(text[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return (red, green, blue, alpha)


def scaled(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """(..., 3) colours of values between low and high."""
    span = high - low
    part = np.clip(
        (np.nan_to_num(np.asarray(values, dtype=float), nan=low) - low) / span if span > 0 else np.zeros_like(values), 0, 1
    )
    place = part * (len(SCALE) - 1)
    k = np.minimum(place.astype(int), len(SCALE) - 2)
    rest = (place - k)[..., None]
    return (1 - rest) * SCALE[k] + rest * SCALE[k + 1]
