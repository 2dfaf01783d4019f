"""From settings to pairs of graphs: drawn at random, or a set of graphs with a file of pairs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.config import RunConfig
from graphpool.data import load as datasets
from graphpool.data.pairs.pairs_csv import read_pairs
from graphpool.data.pairs.pairset import PairSet
from graphpool.data.pairs.splits import split_pairs
from graphpool.data.source import Source, data_digest, set_digest
from graphpool.data.splits import Split
from graphpool.data.synthetic.matching.names import is_matching_name, parse_matching_name
from graphpool.errors import ConfigError, DataError
from graphpool.files import sha256_file

PARTS = ("train", "valid", "test")


@dataclass(frozen=True, eq=False)
class MatchingData:
    """Pairs that train, choose the epoch and test; no graph is in two of these parts.

    Args:
        source: the set of graphs, if it was not drawn.
        facts: what decided the pairs, and their digests, as JSON.
        note: what a user should know of the split.
    """

    train: PairSet
    valid: PairSet
    test: PairSet
    source: Source | None
    facts: dict[str, Any]
    note: str = ""


def check_matching(config: RunConfig) -> None:
    """Refuse settings that name no pairs, before any are drawn or read."""
    drawn = is_matching_name(config.data)
    if drawn:
        parse_matching_name(config.data)
    if drawn and config.compare.pairs:
        raise ConfigError(
            f"{config.data} draws its own pairs; leave out --pairs, or name a set of graphs"
        )
    if not drawn and not config.compare.pairs:
        raise ConfigError(
            f"which graphs of {config.data} match? Give --pairs FILE.csv with lines of left, "
            "right, match, or a set that draws its pairs, such as matching-balanced-hard-20"
        )


def matching_data(config: RunConfig, root: Path | None = None) -> MatchingData:
    """The pairs that `config.data` and `config.compare` ask for."""
    check_matching(config)
    return _drawn(config) if is_matching_name(config.data) else _given(config, root)


def part_seed(config: RunConfig, part: str) -> int:
    """The seed that a part's pairs are drawn with: each part of each run has its own."""
    return 10 * config.train.seed + PARTS.index(part)


def _drawn(config: RunConfig) -> MatchingData:
    wanted = config.compare
    counts = dict(zip(PARTS, (wanted.examples, wanted.valid, wanted.test), strict=True))
    drawn = {
        part: datasets.pairs(config.data, count, part_seed(config, part))
        for part, count in counts.items()
    }
    seeds = {part: {"seed": part_seed(config, part)} for part in PARTS}
    facts = {"from": "drawn", "name": config.data, "parts": _parts(drawn, seeds)}
    return MatchingData(drawn["train"], drawn["valid"], drawn["test"], None, facts)


def _given(config: RunConfig, root: Path | None) -> MatchingData:
    graphs = datasets.find(config.data, root, features=None)
    pairs = read_pairs(config.compare.pairs, graphs)
    found = split_pairs(pairs, config.train.seed)
    chosen: Split = found.split
    parts = {part: pairs.select(np.array(getattr(chosen, part))) for part in PARTS}
    if bool((parts["train"].y == parts["train"].y[0]).all()):
        raise DataError.at(
            config.compare.pairs,
            "all pairs that train have the same answer",
            hint="give pairs that match and others that don't",
        )
    seen = np.concatenate([_used(parts["train"]), _used(parts["valid"])])
    unseen = np.setdiff1d(np.arange(len(graphs)), seen)
    facts = {
        "from": "file",
        "pairs": sha256_file(config.compare.pairs),
        "left_out": found.left_out,
        "groups": found.groups,
        "parts": _parts(parts, {part: {} for part in PARTS}),
    }
    note = (
        f"{found.left_out:,} of {len(pairs):,} pairs are left out: too few groups of pairs share "
        "no graph, so graphs were parted, and these pairs have graphs of two parts"
        if found.left_out
        else f"{found.groups:,} groups of pairs that share no graph were parted"
    )
    source = Source(set_digest(graphs), tuple(unseen.tolist()))
    return MatchingData(parts["train"], parts["valid"], parts["test"], source, facts, note)


def _used(pairs: PairSet) -> NDArray[np.int64]:
    return np.concatenate([pairs.left.numpy(), pairs.right.numpy()])


def _parts(pairs: dict[str, PairSet], more: dict[str, dict[str, int]]) -> dict[str, Any]:
    return {
        part: {
            "pairs": len(one),
            "matching": int(one.y.sum()),
            **more[part],
            "digest": data_digest(one),
        }
        for part, one in pairs.items()
    }
