"""Mean ranks of the methods of a table over its sets: what they say, and their picture."""

from collections.abc import Sequence
from dataclasses import dataclass

from graphpool.evaluation.significance import critical_difference, friedman
from graphpool.evaluation.statistics import mean_ranks
from graphpool.experiments.text import list_text
from graphpool.report.draw.critical_difference import critical_difference_picture
from graphpool.report.style import plain_style

P_VALUES = (
    "p-values are two-sided, of the t-test corrected for shared graphs (Nadeau and Bengio 2003), "
    "and corrected by Holm for all comparisons of a column."
)


@dataclass(frozen=True)
class Ranking:
    """Methods over several sets.

    Attributes:
        titles: of the methods, as Markdown.
        scores: for each method one number per set, larger if better.
        left_out: titles of methods that lack results on some set.
    """

    titles: Sequence[str]
    scores: Sequence[Sequence[float]]
    left_out: Sequence[str] = ()

    @property
    def can_be_tested(self) -> bool:
        """Whether there are two methods and two sets at least."""
        return len(self.scores) > 1 and len(self.scores[0]) > 1

    @property
    def size(self) -> str:
        """How many methods and sets there are."""
        return f"{len(self.scores)} methods on {len(self.scores[0])} sets"

    @property
    def difference(self) -> float:
        """The critical difference at 5 %."""
        return critical_difference(len(self.scores), len(self.scores[0]))

    def test_text(self) -> str:
        """Friedman's test and Nemenyi's critical difference, in words."""
        if not self.can_be_tested:
            return "Mean ranks need two methods with all results on each of at least two sets."
        test = friedman(dict(enumerate(self.scores)))
        first, second = test.degrees
        return (
            f"Mean ranks of {self.size}: Friedman's χ² with {first} degrees of freedom is "
            f"{test.chi_square:.2f} (p {_relation(test.p)}), Iman and Davenport's F with {first} "
            f"and {second} is {test.f:.2f} (p {_relation(test.f_p)}). Two methods differ at 5 % "
            f"by the Nemenyi test if their mean ranks are more than {self.difference:.2f} apart."
        )

    def left_out_text(self) -> str:
        """Which methods have no rank; empty if all have one."""
        if not self.left_out:
            return ""
        return f"Not ranked, because results are missing: {list_text(self.left_out)}."

    def picture(self) -> str | None:
        """The critical differences as an SVG document in light colours; None if untested."""
        if not self.can_be_tested:
            return None
        ranks = mean_ranks(dict(enumerate(self.scores)))
        named = [(_plain(title), ranks[at]) for at, title in enumerate(self.titles)]
        title = f"Mean ranks of {self.size}"
        return plain_style(critical_difference_picture(named, self.difference, title))


def p_text(p: float) -> str:
    """A p-value as the cell of a table."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _relation(p: float) -> str:
    return p_text(p) if p < 0.001 else f"= {p_text(p)}"


def _plain(title: str) -> str:
    """A title without the marks of Markdown."""
    return title.replace("`", "").replace("*", "")
