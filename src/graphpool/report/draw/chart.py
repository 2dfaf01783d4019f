"""Charts in SVG: scales, a grid with numbers, lines, and the key below."""

from dataclasses import dataclass

import numpy as np

from graphpool.report.data import Array
from graphpool.report.draw.svg import log_ticks, number, polyline, ticks

BOTTOM = 46


@dataclass(frozen=True)
class Chart:
    """A picture with margins around the area in which values are drawn.

    Args:
        x, y: first and last value of the axes.
        log: whether the vertical axis is logarithmic; its values are above 0.
    """

    width: int
    height: int
    left: int
    right: int
    top: int
    x: tuple[float, float]
    y: tuple[float, float]
    log: bool = False

    @property
    def base(self) -> int:
        """Height of the horizontal axis in the picture."""
        return self.height - BOTTOM

    def across(self, value: Array | float) -> Array:
        """Horizontal position of values."""
        first, last = self.x
        inner = self.width - self.left - self.right
        return np.asarray(self.left + inner * (value - first) / (last - first))

    def down(self, value: Array | float) -> Array:
        """Vertical position of values; those outside of the axis are drawn at its ends."""
        inner = self.base - self.top
        clipped = np.clip(value, *self.y)
        if self.log:
            low, high, clipped = np.log(self.y[0]), np.log(self.y[1]), np.log(clipped)
        else:
            low, high = self.y
        return np.asarray(self.top + inner * (high - clipped) / (high - low))

    def path(self, xs: Array, ys: Array) -> str:
        """Path data through the points."""
        return polyline(self.across(xs).tolist(), self.down(ys).tolist())

    def grid(self, name: str, wanted: int, unit: str = "", whole: bool = False) -> str:
        """Lines with numbers, and the name of the horizontal axis.

        Args:
            wanted: about how many numbers the horizontal axis gets, only whole ones if `whole`.
            unit: what follows the numbers of the vertical axis.
        """
        left, right, parts = self.left, self.width - self.right, []
        for value in log_ticks(*self.y) if self.log else ticks(*self.y):
            y = number(float(self.down(value)))
            parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>')
            parts.append(f'<text class="tick y" x="{left - 8}" y="{y}">{value:g}{unit}</text>')
        for value in ticks(*self.x, wanted):
            if value.is_integer() or not whole:
                x = number(float(self.across(value)))
                parts.append(f'<text class="tick" x="{x}" y="{self.height - 28}">{value:g}</text>')
        middle = number((left + right) / 2)
        parts.append(f'<text class="tick" x="{middle}" y="{self.height - 10}">{name}</text>')
        return "".join(parts)

    def vertical(self, name: str) -> str:
        """The name of the vertical axis, beside it."""
        middle = number((self.top + self.base) / 2)
        return f'<text class="tick" transform="translate(14 {middle}) rotate(-90)">{name}</text>'

    def svg(self, label: str, parts: list[str]) -> str:
        """The picture with its parts."""
        return (
            f'<svg class="curve" role="img" aria-label="{label}" '
            f'viewBox="0 0 {self.width} {self.height}">{"".join(parts)}</svg>'
        )
