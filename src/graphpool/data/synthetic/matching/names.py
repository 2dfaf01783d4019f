"""Names of sets of matching pairs, such as `matching-balanced-hard-20-50`, and what they mean."""

from dataclasses import dataclass
from typing import Any

from graphpool.errors import ConfigError

PREFIX = "matching-"
_HARDNESSES, _EDITS = ("easy", "medium", "hard"), ("none", "rewire", "swap")
_EXAMPLES = "such as matching-paper-20, matching-paper-20-30-40-50 or matching-balanced-hard-20"


@dataclass(frozen=True)
class MatchingName:
    """The parts of a name; each is an argument of `matching_pairs`."""

    kind: str
    nodes: tuple[int, ...]
    hardness: str = "easy"
    edit: str | None = None

    def arguments(self, pairs: int, seed: int) -> dict[str, Any]:
        """Return all arguments of `matching_pairs`."""
        return {**vars(self), "pairs": pairs, "seed": seed}


def is_matching_name(name: str) -> bool:
    """Whether this is the name of a set of pairs."""
    return name.startswith(PREFIX)


def parse_matching_name(name: str) -> MatchingName:
    """Parse a name: kind, then hardness and edit of balanced pairs, then numbers of nodes."""
    if not is_matching_name(name):
        raise ConfigError(f"{name!r} is not a set of pairs; give its name, {_EXAMPLES}")
    kind, *words = name.removeprefix(PREFIX).split("-")
    hardness = words.pop(0) if kind == "balanced" and words and words[0] in _HARDNESSES else "easy"
    edit = words.pop(0) if kind == "balanced" and words and words[0] in _EDITS else None
    strange = next((word for word in words if not word.isdecimal()), None)
    if kind not in ("paper", "balanced") or strange is not None or not words:
        odd = kind if strange is None else strange
        wrong = f"what is {odd!r}?" if words else "it names no number of nodes."
        raise ConfigError(f"there is no set of pairs {name!r}: {wrong} Sets have names {_EXAMPLES}")
    return MatchingName(kind, tuple(map(int, words)), hardness, edit)
