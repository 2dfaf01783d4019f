"""Cells of result tables that are marked: differences from published values, and low p-values."""

import re
from dataclasses import dataclass

LOW_P = 0.05
# A difference of this share of the published value has the full colour.
FULL_DIFFERENCE = 0.15

_NUMBER = r"[-−+]?\d[\d,]*(?:\.\d+)?"
_COMPARED = re.compile(rf"\**(?P<ours>{_NUMBER}).*? \*\((?P<published>{_NUMBER})\)\*")
_P_HEAD = re.compile(r"p(-values?)?\b(?!-)")
_P_VALUE = re.compile(r"\**(?P<less><?) ?(?P<value>\d*\.?\d+)\**")


@dataclass(frozen=True)
class Difference:
    """How far a value is from the published one.

    Attributes:
        text: the difference with its sign, with the digits of the values.
        share: 0 for equal values to 1 for the full colour.
    """

    text: str
    share: float
    above: bool
    published: str

    @property
    def words(self) -> str:
        """A sentence for the tooltip."""
        if not self.share:
            return f"the published value, {self.published}"
        side = "above" if self.above else "below"
        return f"{self.text.lstrip('+-')} {side} the published {self.published}"


def find_difference(cell: str) -> Difference | None:
    """Read the Markdown of a cell such as `85.3 ± 8.6 *(95.0)*`; None if it is another one."""
    found = _COMPARED.fullmatch(cell.strip())
    if found is None:
        return None
    ours, published = _value(found["ours"]), _value(found["published"])
    digits = max(_digits(found["ours"]), _digits(found["published"]))
    difference = round(ours - published, digits)
    if not difference:
        return Difference(f"{0:.{digits}f}", 0.0, False, found["published"])
    most = FULL_DIFFERENCE * abs(published)
    share = min(abs(difference) / most, 1.0) if most else 1.0
    return Difference(f"{difference:+.{digits}f}", share, difference > 0, found["published"])


def heads_p_values(head: str) -> bool:
    """Whether the head of a row, a column or a whole table says that its cells are p-values."""
    return _P_HEAD.match(head.strip("*` ")) is not None


def is_low_p(cell: str) -> bool:
    """Whether a cell such as `0.031` or `< 0.001` holds a p-value below 0.05."""
    found = _P_VALUE.fullmatch(cell.strip())
    if found is None:
        return False
    value = float(found["value"])
    return value < LOW_P or bool(found["less"] and value <= LOW_P)


def _value(number: str) -> float:
    return float(number.replace(",", "").replace("−", "-"))


def _digits(number: str) -> int:
    return len(number.partition(".")[2])
