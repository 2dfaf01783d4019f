"""Pairs of graphs in a text file: two ids and whether they match, one pair to a line."""

import csv
from pathlib import Path

import torch

from graphpool.data.pairs.pairset import PairSet
from graphpool.errors import DataError, nearest, plural
from graphpool.graphs.graphset import GraphSet

COLUMNS = ("left", "right", "match")
_HINT = f"give {', '.join(COLUMNS)} on each line: two ids, and 1 for a match or 0 for none"
_ANSWERS = {"1": 1.0, "0": 0.0, "true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}


def read_pairs(path: str | Path, graphs: GraphSet) -> PairSet:
    """Read the pairs of a CSV file: two ids of `graphs`, 1 for a match or 0 for none.

    A first line `left,right,match` and empty lines are skipped.
    """
    path = Path(path)
    position = {name: number for number, name in enumerate(graphs.ids)}
    if len(position) < len(graphs):
        raise DataError(
            f"{graphs.name}: several graphs have one id; give each its own, for pairs to name"
        )
    rows: list[tuple[int, int, float]] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.reader(handle, strict=True)
            for words in reader:
                row = [word.strip() for word in words]
                head = not rows and [word.lower() for word in row] == list(COLUMNS)
                if any(row) and not head:
                    rows.append(_pair(path, reader.line_num, row, position))
    except (FileNotFoundError, IsADirectoryError):
        raise DataError.at(path, "no such file of pairs", hint="check the path") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise DataError.at(path, f"not a CSV file: {error}", hint=_HINT) from None
    if not rows:
        raise DataError.at(path, "holds no pairs", hint=_HINT)
    left, right, match = zip(*rows, strict=True)
    return PairSet(graphs, torch.tensor(left), torch.tensor(right), torch.tensor(match))


def _pair(
    path: Path, line: int, row: list[str], position: dict[str, int]
) -> tuple[int, int, float]:
    if len(row) != len(COLUMNS):
        raise DataError.at(path, plural(len(row), "value"), line=line, hint=_HINT)
    for word in row[:2]:
        if word not in position:
            raise DataError.at(
                path, f"there is no graph {word!r}", line=line, hint=_known(word, position)
            )
    if (answer := _ANSWERS.get(row[2].lower())) is None:
        raise DataError.at(path, f"match is {row[2]!r}", line=line, hint="say 1 or 0")
    return position[row[0]], position[row[1]], answer


def _known(word: str, position: dict[str, int]) -> str:
    near = nearest(word, position)
    some = ", ".join(list(position)[:5])
    return near if near.startswith("did") else f"ids are {some}{', …' if len(position) > 5 else ''}"
