"""Colours of scenes: told apart by eyes of all kinds, and the same in films, reports and the viewer."""

import numpy as np

BODIES = ("#4a6d8c", "#d9924f", "#5f9e8f", "#a9b1ba")  # few, and each is used again
# of the sky above and below, and of the fields of the ground
SKY = np.array([[0.935, 0.95, 0.975], [1.0, 1.0, 1.0]])
FIELDS = np.array([[0.965, 0.967, 0.965], [0.93, 0.935, 0.935]])
# the same in water, whose bottom is what would be the ground
DEEP = np.array([[0.74, 0.86, 0.92], [0.92, 0.97, 0.985]])
BOTTOM = np.array([[0.845, 0.915, 0.945], [0.81, 0.893, 0.93]])
VORTICITY = np.array([[0.0, 0.447, 0.698], [0.835, 0.369, 0.0]])  # clockwise, counter-clockwise
SPECK, STREAM, GLINT = "#7d9fb3", "#2f6f8f", (1.0, 1.0, 1.0)
ARROWS = {"reaction": "#d55e00", "drive": "#0072b2", "environment": "#009e73", "weight": "#7f7f7f", "cone": "#cc79a7"}
WING = "#c9a06b"
METAL, DARK, PATH, CENTER, SURFACE = "#8a8f98", "#3d4148", "#d55e00", "#f0e442", "#b9c2b0"
RUNS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6a3d9a", "#7f7f7f")
# a few colours of the scale from dark blue over green to yellow that reads in grey too (own table, rounded)
SCALE = np.array([[0.27, 0.0, 0.33], [0.23, 0.32, 0.55], [0.13, 0.57, 0.55], [0.37, 0.79, 0.38], [0.99, 0.91, 0.14]])


def surroundings(water: bool) -> tuple[np.ndarray, np.ndarray]:
    """(2, 3) colours of the sky above and below, and (2, 3) of the fields of the ground; in water those of water and bottom."""
    return (DEEP, BOTTOM) if water else (SKY, FIELDS)


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
