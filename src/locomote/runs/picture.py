"""A matplotlib Figure that a notebook shows by itself. Imported only where something is drawn."""

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


class Picture(Figure):
    """A Figure that pyplot does not know: no window opens, and a notebook shows it once, as the value of its cell."""

    def __init__(self, *args, **options) -> None:
        super().__init__(*args, **options)
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=100)
        return stream.getvalue()
