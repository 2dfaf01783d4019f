"""How a set is split, as a user writes it: `published`, `scaffold`, `cv5`, `group:patient`, a file.

One grammar for `--split`, `RunConfig.split`, `gp.evaluate` and the protocols of experiments.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graphpool.errors import ConfigError, brief, nearest

Kind = Literal[
    "cv", "random", "holdout", "own", "published", "scaffold", "column", "group", "time"
]  # fmt: skip
Shares = tuple[int, int, int]

SHARES: Shares = (8, 1, 1)
PUBLISHED, SCAFFOLD = "published", "scaffold"
_PAPER = "paper"  # a random split over ten seeds
SPLITS = {
    "published": "the split that the set brings, in its column split; the same for every seed",
    "scaffold": "molecules with one Bemis-Murcko scaffold in one part, the largest groups train; "
    "8:1:1 or scaffold:7:1:2; the same for every seed",
    "random": "8:1:1 at random, or random:7:1:2; paper is the same over ten seeds",
    "cvN": "N folds, such as cv5, with equal shares of every class or tenth of a number; train "
    "tests the first",
    "cvN:NAME": "N folds, graphs with the same value of the column NAME in one fold",
    "group:NAME": "8:1:1 at random, graphs with the same value of the column NAME in one part; or "
    "group:NAME:7:1:2",
    "column:NAME": "the column NAME says train, valid or test, or the number of a fold",
    "time:NAME": "sorted by the column NAME, numbers or dates; the last tenth tests, the one "
    "before it validates; or time:NAME:7:1:2",
    "FILE": "a JSON file of ids or positions, or a folder of test_idx-1.txt and so on",
}
"""Every form of a split, and what it means."""

_CV = re.compile(r"cv([1-9][0-9]{0,3})(?::(.+))?", re.DOTALL)
_SHARES = re.compile(r"(.*?)(?::([0-9]{1,6}):([0-9]{1,6}):([0-9]{1,6}))?", re.DOTALL)
_PLAIN: tuple[Kind, ...] = ("published", "scaffold", "random")
_NAMED: tuple[Kind, ...] = ("column", "group", "time")
_WITH_SHARES = ("scaffold", "random", "group", "time")


@dataclass(frozen=True)
class SplitSpec:
    """What the text of a split says.

    Args:
        text: the text itself.
        kind: `own` is a file or folder.
        column: name of a column of `GraphSet.columns`.
        shares: of training, validation and test graphs.
        folds: of `cv`.
    """

    text: str
    kind: Kind
    column: str = ""
    shares: Shares = SHARES
    folds: int = 1


def parse_split(text: str) -> SplitSpec:
    """Read the text of a split; what is no known form must look like a file, or be one."""
    if not isinstance(text, str):
        raise ConfigError(f"split is {brief(text)}; give text such as published, cv5 or a file")
    if text == _PAPER:
        return SplitSpec(text, "random")
    if match := _CV.fullmatch(text):
        return SplitSpec(text, "cv", match[2] or "", folds=int(match[1]))
    match = _SHARES.fullmatch(text)
    assert match is not None
    word, _, column = match[1].partition(":")
    kind = next((each for each in (*_PLAIN, *_NAMED) if each == word), None)
    if kind is None and _is_file(text):
        return SplitSpec(text, "own")
    if kind is None:
        hint = nearest(word, [*_PLAIN, *_NAMED, _PAPER, "cv10"])
        hint = f"{hint} " if hint.endswith("?") else ""
        raise ConfigError(f"unknown split {brief(text)}; {hint}known: {', '.join(SPLITS)}")
    if kind in _NAMED and not column:
        raise ConfigError(f"split {text}: give the name of a column, such as {kind}:NAME")
    if kind in _PLAIN and column:
        raise ConfigError(
            f"split {brief(text)}: {kind} takes no {column!r}; write {_example(kind)}"
        )
    shares = SHARES
    if match[2]:
        if kind not in _WITH_SHARES:
            raise ConfigError(f"split {text}: {kind} has no shares; leave out 8:1:1")
        shares = (int(match[2]), int(match[3]), int(match[4]))
        if 0 in shares:
            raise ConfigError(f"split {text}: every part needs a share above 0, such as 8:1:1")
    return SplitSpec(text, kind, column, shares)


def _example(kind: str) -> str:
    return f"{kind} or {kind}:8:1:1" if kind in _WITH_SHARES else kind


def _is_file(text: str) -> bool:
    if not text or "\0" in text:
        return False
    if any(mark in text for mark in "/\\."):
        return True
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False
