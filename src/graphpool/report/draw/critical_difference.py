"""Critical-difference pictures (Demšar 2006): mean ranks of methods, and which of them differ.

The best method is at the left. A bar joins methods whose mean ranks are no further apart than the
critical difference, whose length is drawn above the axis.
"""

import unicodedata
from collections.abc import Sequence

from graphpool.evaluation.significance import rank_groups
from graphpool.report.draw.svg import number, text, ticks

SIZE = 13  # of letters
AXIS, MARGIN = 420.0, 16.0
LINE = 19.0  # from one name to the next
LEVEL = 8.0  # from one bar to the next
OVERHANG = 4.0  # of a bar beyond its methods
STUB = 14.0  # of a leader line beyond the axis
NARROW = frozenset("fijlrtI.,:;'|!()[]/-` ")
WIDE = frozenset("mwMW@%—")


def critical_difference_picture(
    ranks: Sequence[tuple[str, float]], difference: float, title: str = ""
) -> str:
    """Draw mean ranks as an SVG document, in the colours of the page that it is shown on.

    Args:
        ranks: name and mean rank of each method, in any order; at least two.
        difference: the critical difference.
        title: what stands above, such as `5 methods on 14 sets`.
    """
    if len(ranks) < 2:
        raise ValueError(f"{len(ranks)} method to draw; at least two are needed")
    return _Picture(sorted(ranks, key=lambda each: each[1]), difference, title).svg()


def text_width(words: str, size: float = SIZE) -> float:
    """Return how wide words are at most in the common fonts without serifs."""
    return size * sum(map(_letter_width, words))


def _letter_width(letter: str) -> float:
    if letter in WIDE or unicodedata.east_asian_width(letter) in ("W", "F"):
        return 1.02
    if letter in NARROW:
        return 0.42
    return 0.8 if letter.isupper() else 0.66


class _Picture:
    """Positions of all that is drawn."""

    def __init__(self, ranks: Sequence[tuple[str, float]], difference: float, title: str) -> None:
        self.difference, self.title = difference, title
        self.values = [rank for _, rank in ranks]
        half = (len(ranks) + 1) // 2
        # Outermost first, so that no leader line crosses another.
        self.left, self.right = ranks[:half], ranks[: half - 1 : -1]
        self.note = (
            "Bars join methods that the Nemenyi test at 5 % does not tell apart "
            f"(critical difference {difference:.2f})."
        )
        self.room = max(text_width(f"{rank:.2f}") for rank in self.values)  # of a mean rank
        sides = [
            max(text_width(name) for name, _ in side) + self.room + 12
            for side in (self.left, self.right)
        ]
        self.unit = AXIS / max(len(ranks) - 1, difference)
        inner = max(AXIS + 2 * STUB, text_width(title, 16) - sum(sides))
        inner = max(inner, text_width(self.note, 12) - sum(sides))
        self.start = MARGIN + sides[0]  # of leader lines
        self.end = self.start + inner
        self.width = self.end + sides[1] + MARGIN
        self.zero = (self.start + self.end - AXIS) / 2  # where rank 1 is
        self.scale = 58.0 if title else 30.0  # height of the critical difference
        self.axis = self.scale + 42
        self.bars = self._stack()
        levels = 1 + max((level for _, _, level in self.bars), default=-1)
        self.first = self.axis + 26 + LEVEL * levels  # height of the first name
        self.height = self.first + LINE * half + 26

    def across(self, rank: float) -> float:
        """Horizontal position of a rank."""
        return self.zero + self.unit * (rank - 1)

    def _stack(self) -> list[tuple[float, float, int]]:
        """First and last position of every bar, and a level on which it touches no other."""
        ends: list[float] = []  # of the last bar of each level
        bars = []
        for first, last in rank_groups(self.values, self.difference):
            low = self.across(self.values[first]) - OVERHANG
            high = self.across(self.values[last]) + OVERHANG
            free = [level for level, end in enumerate(ends) if end + OVERHANG < low]
            level = free[0] if free else len(ends)
            ends[level : level + 1] = [high]
            bars.append((low, high, level))
        return bars

    def svg(self) -> str:
        """The document."""
        wide, tall = number(self.width), number(self.height)
        parts = [self._title(), self._scale(), self._axis()]
        for at, method in enumerate(self.left):
            parts.append(self._method(method, self.first + LINE * at, self.start, -1))
        for at, method in enumerate(self.right):
            parts.append(self._method(method, self.first + LINE * at, self.end, 1))
        parts += [self._bar(*bar) for bar in self.bars]
        parts.append(
            f'<text x="{number(self.width / 2)}" y="{number(self.height - 12)}" font-size="12" '
            f'fill="var(--soft)" text-anchor="middle">{text(self.note)}</text>'
        )
        label = self.title or "mean ranks and their critical difference"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" width="{wide}" '
            f'height="{tall}" role="img" aria-label="{text(label)}" font-family="sans-serif" '
            f'font-size="{SIZE}" fill="var(--ink)">'
            f'<rect width="100%" height="100%" fill="var(--card)"/>{"".join(parts)}</svg>\n'
        )

    def _title(self) -> str:
        if not self.title:
            return ""
        return (
            f'<text x="{number(self.width / 2)}" y="28" font-size="16" font-weight="600" '
            f'text-anchor="middle">{text(self.title)}</text>'
        )

    def _scale(self) -> str:
        """The critical difference, from rank 1 on."""
        first, last = number(self.zero), number(self.zero + self.unit * self.difference)
        y, top, base = (number(self.scale + each) for each in (0, -4, 4))
        return (
            f'<path class="difference" d="M{first} {top}V{base}M{first} {y}H{last}M{last} {top}'
            f'V{base}" fill="none" stroke="var(--ink)" stroke-width="1.5"/>'
            f'<text x="{number(float(last) + 8)}" y="{number(self.scale + 4)}" font-size="12">'
            f"CD {self.difference:.2f}</text>"
        )

    def _axis(self) -> str:
        """A line with whole ranks above it."""
        last = len(self.values)
        whole = sorted(
            {1.0, *(rank for rank in ticks(1, last, min(last, 10)) if rank.is_integer())}
        )
        y, top, words = (number(self.axis + each) for each in (0, -5, -10))
        marks = "".join(f"M{number(self.across(rank))} {y}V{top}" for rank in whole)
        numbers = "".join(
            f'<text x="{number(self.across(rank))}" y="{words}" font-size="12" '
            f'fill="var(--soft)" text-anchor="middle">{rank:g}</text>'
            for rank in whole
        )
        line = f"M{number(self.across(1))} {y}H{number(self.across(last))}"
        return (
            f'<path class="axis" d="{line}{marks}" fill="none" stroke="var(--ink)" '
            f'stroke-width="1.5"/>{numbers}'
        )

    def _method(self, method: tuple[str, float], y: float, side: float, sign: int) -> str:
        """The line from the axis to the name at one side, and the name with its rank."""
        name, rank = method
        path = f"M{number(self.across(rank))} {number(self.axis)}V{number(y)}H{number(side)}"
        anchor = "end" if sign < 0 else "start"
        near, far = (number(side + sign * each) for each in (6, 10 + self.room))
        return (
            f'<path class="leader" d="{path}" fill="none" stroke="var(--edge)"/>'
            f'<text class="rank" x="{near}" y="{number(y + 4)}" fill="var(--soft)" '
            f'text-anchor="{anchor}">{rank:.2f}</text>'
            f'<text class="method" x="{far}" y="{number(y + 4)}" '
            f'text-anchor="{anchor}">{text(name)}</text>'
        )

    def _bar(self, low: float, high: float, level: int) -> str:
        y = number(self.axis + 10 + LEVEL * level)
        return (
            f'<line class="group" x1="{number(low)}" x2="{number(high)}" y1="{y}" y2="{y}" '
            f'stroke="var(--accent)" stroke-width="4" stroke-linecap="round"/>'
        )
