"""Protocols of evaluation: which splits, how many, and the files that store them.

Every protocol sets validation graphs aside for early stopping and for choosing the epoch; test
graphs are looked at once, after everything is chosen.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from graphpool.data.own_splits import read_own_splits
from graphpool.data.splits import (
    Split,
    cv_splits,
    load_splits,
    random_splits,
    save_splits,
    strata_of,
)
from graphpool.errors import ConfigError, DataError, brief, plural
from graphpool.graphs.graphset import GraphSet


@dataclass(frozen=True)
class Protocol:
    """A way of splitting a set, repeated over seeds.

    Args:
        name: what users call it; stands in split files.
        kind: `cv` cuts stratified folds, each of which is the test part once; `random` draws
            8:1:1 whatever the classes are; `holdout` tests the second half of the set and learns
            from the first one, whose last tenth validates: the same split for every seed; `own`
            has the splits of a user's file, the same for every seed.
        folds: splits that one seed gives.
        seeds: those that a complete result has.
        summary: a sentence for tables.
        learn: graphs that `holdout` learns from at most; 0 for the whole first half.
        splits: of `own`.
    """

    name: str
    kind: Literal["cv", "random", "holdout", "own"]
    folds: int
    seeds: tuple[int, ...]
    summary: str = ""
    learn: int = 0
    splits: tuple[Split, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        least = 2 if self.kind == "cv" else 1
        if self.folds < least:
            raise ConfigError(f"protocol {self.name}: {self.folds} folds; give at least {least}")


SEEDS = (0, 1, 2)


def cross_validation(folds: int) -> Protocol:
    """Return `cv10`, `cv5` and so on."""
    return Protocol(
        name=f"cv{folds}",
        kind="cv",
        folds=folds,
        seeds=SEEDS,
        summary=f"{folds} stratified folds, each seed with its own; of the others one validates",
    )


CV10 = replace(
    cross_validation(10),
    summary="10 stratified folds, each seed with its own; of the other nine one validates",
)
PAPER = Protocol(
    name="paper",
    kind="random",
    folds=1,
    seeds=tuple(range(10)),
    summary="random 8:1:1 split, a new one for every seed",
)
PROTOCOLS = {protocol.name: protocol for protocol in (CV10, PAPER)}


def find_protocol(name: str) -> Protocol:
    """The protocol of this name: one of `PROTOCOLS`, or `cvN` with any number of folds."""
    if name in PROTOCOLS:
        return PROTOCOLS[name]
    if re.fullmatch(r"cv[1-9][0-9]{0,3}", name):
        return cross_validation(int(name.removeprefix("cv")))
    raise ConfigError(
        f"unknown protocol {brief(name)}; known: {', '.join(PROTOCOLS)}, and cv with another "
        "number of folds, such as cv5"
    )


def own_protocol(path: str | Path, graphs: GraphSet) -> Protocol:
    """The splits of a file; the name has a digest of them."""
    splits = read_own_splits(path, graphs)
    digest = hashlib.sha256("".join(map(split_digest, splits)).encode()).hexdigest()[:8]
    return Protocol(
        name=f"own-{digest}",
        kind="own",
        folds=len(splits),
        seeds=SEEDS,
        summary=f"the splits of {Path(path).name}, the same for every seed",
        splits=splits,
    )


def splits_for(protocol: Protocol, graphs: GraphSet, seed: int) -> tuple[Split, ...]:
    """The splits that a seed gives."""
    y = strata_of(graphs)
    if protocol.kind == "cv":
        return cv_splits(y, protocol.folds, seed)
    if protocol.kind == "own":
        return protocol.splits
    if protocol.kind == "holdout":
        return (_holdout(len(graphs), protocol.learn),)
    return random_splits(y, seed, repeats=protocol.folds)


def _holdout(graphs: int, learn: int) -> Split:
    half = graphs // 2
    learn = min(learn or half, half)
    train = learn - max(1, learn // 10)
    return Split(tuple(range(train)), tuple(range(train, learn)), tuple(range(half, graphs)))


def stored_splits(
    protocol: Protocol, graphs: GraphSet, set_hash: str, seed: int, path: Path
) -> tuple[Split, ...]:
    """The splits in the file at `path`, which is written if it is not there.

    A file of another set, protocol or seed is refused.
    """
    if not path.exists():
        save_splits(path, splits_for(protocol, graphs, seed), set_hash, protocol.name, seed)
    splits = load_splits(path, set_hash, protocol.name, seed)
    if len(splits) != protocol.folds or any(not (s.train and s.valid and s.test) for s in splits):
        raise DataError.at(
            path,
            f"{plural(len(splits), 'split')}; protocol {protocol.name} has {protocol.folds}, "
            "each with training, validation and test graphs",
            hint="delete the file to remake it",
        )
    return splits


def split_digest(split: Split) -> str:
    """SHA-256 of one split."""
    parts = [split.train, split.valid, split.test]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def overlap(splits: Sequence[Split]) -> float:
    """Test graphs over training graphs, the `overlap` of `graphpool.evaluation.statistics`."""
    tested = sum(len(split.test) for split in splits)
    return tested / sum(len(split.train) for split in splits)
