"""Protocols of evaluation: which splits, how many, and the files that store them.

Every protocol sets validation graphs aside for early stopping and for choosing the epoch; test
graphs are looked at once, after everything is chosen.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from graphpool.config.split_spec import (
    PUBLISHED,
    SCAFFOLD,
    SHARES,
    Kind,
    Shares,
    SplitSpec,
    parse_split,
)
from graphpool.data.molecules.published import MOLECULES
from graphpool.data.own_splits import OWN, read_own_split, read_own_splits
from graphpool.data.scaffolds import SMILES, scaffolds
from graphpool.data.splits import (
    Split,
    class_split,
    cv_splits,
    grouped_folds,
    largest_first,
    load_splits,
    names_parts,
    ordered_split,
    part_splits,
    random_splits,
    save_splits,
    strata_of,
)
from graphpool.errors import ConfigError, DataError, nearest, plural
from graphpool.graphs.graphset import GraphSet

SEEDS = (0, 1, 2)
FOLDS, HOLDOUT = 10, "holdout"  # a run is tested on one fold of ten, unless it is told otherwise
_SAME = "the same for every seed"


@dataclass(frozen=True)
class Protocol:
    """A way of splitting a set, repeated over seeds.

    Args:
        name: what users call it; stands in split files.
        kind: as of `graphpool.config.split_spec.SplitSpec`; `holdout` tests the second half of the
            set and learns from the first one, whose last tenth validates.
        folds: splits that one seed gives; those of a column or a file are known with the graphs.
        seeds: those that a complete result has.
        summary: a sentence for tables.
        learn: graphs that `holdout` learns from at most; 0 for the whole first half.
        splits: of `own`.
        column: whose values decide; of `cv` and `group` those that stay together.
        shares: of training, validation and test graphs.
    """

    name: str
    kind: Kind
    folds: int
    seeds: tuple[int, ...]
    summary: str = ""
    learn: int = 0
    splits: tuple[Split, ...] = field(default=(), repr=False)
    column: str = ""
    shares: Shares = SHARES

    def __post_init__(self) -> None:
        least = 2 if self.kind == "cv" else 1
        if self.folds < least:
            raise ConfigError(f"protocol {self.name}: {self.folds} folds; give at least {least}")

    @property
    def fixed(self) -> bool:
        """Whether every seed has the same splits."""
        return self.kind not in ("cv", "random", "group")


def cross_validation(folds: int) -> Protocol:
    """Return `cv10`, `cv5` and so on."""
    return find_protocol(f"cv{folds}")


def find_protocol(name: str) -> Protocol:
    """Return the protocol that a text names; `graphpool.config.split_spec.SPLITS` has all forms.

    A file is not read: `bound` has its splits.
    """
    spec = parse_split(name)
    if name in PROTOCOLS:
        return PROTOCOLS[name]
    return Protocol(
        OWN if spec.kind == "own" else name, spec.kind, spec.folds, SEEDS, _summary(spec),
        column=spec.column, shares=spec.shares,
    )  # fmt: skip


def _summary(spec: SplitSpec) -> str:
    """A sentence for tables."""
    shares, column = ":".join(map(str, spec.shares)), spec.column
    if spec.kind == "cv":
        kind = f"folds with graphs of equal {column} together" if column else "stratified folds"
        return f"{spec.folds} {kind}, each seed with its own; of the others one validates"
    return {
        "random": f"random {shares} split, a new one for every seed",
        "group": f"random {shares} split with graphs of equal {column} in one part, a new one for "
        "every seed",
        "published": f"the split published with the set, {_SAME}",
        "scaffold": f"{shares} by Bemis-Murcko scaffold, the largest groups train; {_SAME}",
        "column": f"the parts of the column {column}, {_SAME}",
        "time": f"{shares} in the order of {column}, the last test; {_SAME}",
    }.get(spec.kind, f"the splits of {Path(spec.text).name}, {_SAME}")


CV10 = Protocol(
    name="cv10",
    kind="cv",
    folds=10,
    seeds=SEEDS,
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


def bound(protocol: Protocol | str, graphs: GraphSet) -> Protocol:
    """Return the protocol for a set: with the splits of its file, and the right number of folds.

    Args:
        protocol: or its text; the name of one with a file has a digest of the splits.
    """
    found = protocol if isinstance(protocol, Protocol) else find_protocol(protocol)
    if found.kind == "own" and not found.splits and isinstance(protocol, str):
        splits = read_own_splits(protocol, graphs)
        digest = hashlib.sha256("".join(map(split_digest, splits)).encode()).hexdigest()[:8]
        return replace(found, name=f"{OWN}-{digest}", folds=len(splits), splits=splits)
    if found.kind == "column":
        return replace(found, folds=len(splits_for(found, graphs, 0)))
    return found


def default_split(graphs: GraphSet) -> str:
    """Return the split that users of a set expect: `published` where it brings one.

    Published molecules without a split have `scaffold`; of other sets it is empty.
    """
    if names_parts(graphs.columns.get("split", ())):
        return PUBLISHED
    entry = MOLECULES.get(graphs.name)
    return SCAFFOLD if entry is not None and SMILES in graphs.columns else ""


def splits_for(protocol: Protocol, graphs: GraphSet, seed: int) -> tuple[Split, ...]:
    """The splits that a seed gives."""
    kind, column, shares = protocol.kind, protocol.column, protocol.shares
    where = f"{graphs.name}, column {column}"
    if kind == "own":
        return protocol.splits
    if kind == HOLDOUT:
        return (_holdout(len(graphs), protocol.learn),)
    if kind == PUBLISHED:
        if "split" not in graphs.columns:
            raise DataError(
                f"{graphs.name} brings no split: it has no column split; use scaffold, random, "
                "cv10, or another of graphpool list splits"
            )
        where, column = f"{graphs.name}, column split", "split"
    if kind in (PUBLISHED, "column"):
        return part_splits(values_of(graphs, column), strata_of(graphs), where)
    if kind == SCAFFOLD:
        return (largest_first(scaffolds(graphs), shares),)
    if kind == "time":
        return (ordered_split(values_of(graphs, column), shares, where),)
    if kind == "group":
        return (class_split(np.asarray(values_of(graphs, column)), seed, shares),)
    if kind == "cv" and column:
        return grouped_folds(values_of(graphs, column), protocol.folds, seed)
    if kind == "cv":
        return cv_splits(strata_of(graphs), protocol.folds, seed)
    total = sum(shares)
    fractions = (shares[0] / total, shares[1] / total, shares[2] / total)
    return random_splits(len(graphs), seed, fractions, repeats=protocol.folds)


def values_of(graphs: GraphSet, column: str) -> tuple[str, ...]:
    """Return a column of a set, in which no graph is without a value."""
    if column == SCAFFOLD:
        return scaffolds(graphs)
    if column not in graphs.columns:
        known = nearest(column, graphs.columns) if graphs.columns else "it has none"
        raise DataError(f"{graphs.name} has no column {column!r}; {known}")
    values = graphs.columns[column]
    if "" in values:
        name = graphs.ids[values.index("")]
        raise DataError(f"{graphs.name}, column {column}: graph {name!r} has no value; give it one")
    return values


def run_split(graphs: GraphSet, seed: int, text: str = "") -> Split:
    """Return the split of one run; of several folds, the first.

    Args:
        text: of the split; empty for one fold of ten as test part.
    """
    if not text:
        return cv_splits(strata_of(graphs), FOLDS, seed)[0]
    protocol = find_protocol(text)
    if protocol.kind == "own":
        return read_own_split(text, graphs)
    return splits_for(protocol, graphs, seed)[0]


def run_split_name(text: str) -> str:
    """Return what split files call the split of a run."""
    return find_protocol(text).name if text else HOLDOUT


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
