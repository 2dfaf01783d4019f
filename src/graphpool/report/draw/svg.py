"""Small pieces of SVG and HTML: escaping, numbers, axis ticks, the palette and the markers.

Colours are CSS variables (`--c0` …), so that one picture serves light and dark pages.
"""

import html
import math
from collections.abc import Sequence

# Okabe and Ito's colours, which the common forms of colour blindness keep apart, with the yellow
# darkened to show on white; then four of Tol's for hierarchies with many clusters.
LIGHT = (
    "#0072b2", "#e08e00", "#009e73", "#c4609a", "#3fa7e0", "#d0500a",
    "#a8960a", "#5c4ba0", "#8c2a58", "#3f9f92", "#7f8a33", "#6d7480",
)  # fmt: skip
DARK = (
    "#4aa3e0", "#f0a92e", "#2fc296", "#e08abb", "#8ccbf2", "#f0794a",
    "#d6c544", "#a094e0", "#cf6a98", "#6accc0", "#b3bd62", "#a3abb8",
)  # fmt: skip

# Shapes around the origin, all with about the same area as a circle of radius 5.
MARKERS = (
    "M5 0A5 5 0 1 1-5 0A5 5 0 1 1 5 0Z",
    "M-4.5-4.5H4.5V4.5H-4.5Z",
    "M0-6.2L5.8 4H-5.8Z",
    "M0-6.3L6.3 0L0 6.3L-6.3 0Z",
    "M0 6.2L5.8-4H-5.8Z",
    "M-1.9-6H1.9V-1.9H6V1.9H1.9V6H-1.9V1.9H-6V-1.9H-1.9Z",
    "M5.4-3.1V3.1L0 6.2L-5.4 3.1V-3.1L0-6.2Z",
    "M0-6.6L1.9-2.1L6.4-2L2.9 1L4 5.5L0 3.1L-4 5.5L-2.9 1L-6.4-2L-1.9-2.1Z",
)


def text(value: object) -> str:
    """Escape anything that came from outside, for element content and quoted attributes."""
    return html.escape(str(value), quote=True)


def number(value: float) -> str:
    """Coordinates with one decimal and no trailing zero: they make up most of a page's bytes."""
    short = f"{value:.1f}"
    return "0" if short in ("-0.0", "0.0") else short.removesuffix(".0")


def figure(value: object) -> str:
    """A value for a reader: thousands apart, floats with three significant digits or so."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return f"{int(value):,}".replace(",", "\u202f")
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers inside [low, high], about `wanted` of them."""
    span = high - low
    if not span > 0:
        return [low]
    raw = span / wanted
    size = 10.0 ** math.floor(math.log10(raw))
    step = min(
        (size * times for times in (1, 2, 5, 10)), key=lambda step: abs(span / step - wanted)
    )
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Numbers 1, 2 and 5 times a power of ten inside [low, high], of which 0 < low.

    Where there are fewer than three of them, they are round numbers as of other axes.
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    numbers = (round(times * 10.0**power, 12) for power in powers for times in (1, 2, 5))
    inside = [value for value in numbers if low <= value <= high]
    return inside if len(inside) > 2 else ticks(low, high)


def colour(index: int) -> str:
    """CSS value of the colour of class or cluster `index`."""
    return f"var(--c{index % len(LIGHT)})"


def class_marker(index: int) -> tuple[int, int]:
    """Colour and shape of a class; the pair is different for the first 64 classes."""
    turns, place = divmod(index, len(MARKERS))
    return place, (place + turns) % len(MARKERS)


def polyline(xs: Sequence[float], ys: Sequence[float]) -> str:
    """Path data through the points; a point that is not finite breaks the line."""
    parts: list[str] = []
    pen = "M"
    for x, y in zip(xs, ys, strict=True):
        if math.isfinite(x) and math.isfinite(y):
            parts.append(f"{pen}{number(x)} {number(y)}")
            pen = "L"
        else:
            pen = "M"
    return "".join(parts)


def round_path(x: float, y: float, radius: float) -> str:
    """Path data of a circle."""
    r, across = number(radius), number(2 * radius)
    return f"M{number(x - radius)} {number(y)}a{r} {r} 0 1 1 {across} 0a{r} {r} 0 1 1 -{across} 0"


def palette_css(colours: Sequence[str]) -> str:
    """The palette as CSS variables."""
    return "".join(f"--c{index}:{value};" for index, value in enumerate(colours))


def count_of(amount: int, noun: str) -> str:
    """`1 node`, `2 nodes`."""
    return f"{amount} {noun}" if amount == 1 else f"{amount} {noun}s"


def counted(name: str, amount: int) -> str:
    """A name in a key, and how many there are."""
    return f'{name} <span class="soft">{figure(amount)}</span>'


def swatch(css: str, look: str = "") -> str:
    """The mark of an item in a key."""
    return f'<span class="swatch {css}"{look}></span>'


def key(*items: tuple[str, str], after: str = "") -> str:
    """The key below a picture: marks and what they mean."""
    drawn = "".join(f'<span class="item">{mark}{words}</span>' for mark, words in items)
    return f'<p class="key">{drawn}{after}</p>'


def verdict_badge(right: bool) -> str:
    """Whether a prediction is right."""
    return '<span class="right">correct</span>' if right else '<span class="miss">wrong</span>'


def bar(share: float, css: str = "bar") -> str:
    """A bar filled up to a share between 0 and 1."""
    return f'<div class="{css}"><span style="width:{100 * share:.1f}%"></span></div>'
