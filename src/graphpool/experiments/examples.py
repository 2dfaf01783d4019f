"""What a unit learns from and is tested on: descriptions that decide every example.

A description says everything that decides the examples; `example_files` draws them and opens them.

Each has the `task` that is asked, and is `folded` or not. Of folded data a seed has several splits
of one set; features are fitted on the training part of each. Other data are drawn anew for each
seed, with features.
"""

import hashlib
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from graphpool.data.synthetic.matching.build import VERSION
from graphpool.evaluation.protocols import Protocol


@dataclass(frozen=True)
class GraphData:
    """Graphs with classes, split by a protocol.

    Args:
        set: its name.
        protocol: how the set is split; the seed and the fold of a unit say which split.
        digest: content hash of the graphs; see `example_files.add_source`.
        auto: kinds of features that `auto` means for the graphs; empty while nobody has looked.
        splits: folder of split files; without one, splits are worked out and not kept.
        title: what the data are called in results; by default as the set.
        task: what is asked about the graphs.
    """

    set: str
    protocol: Protocol
    digest: str = ""
    splits: str = ""
    title: str = ""
    task: str = "classification"
    auto: tuple[str, ...] = ()

    folded: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """Such as `MUTAG`."""
        return self.title or self.set

    @property
    def facts(self) -> dict[str, Any]:
        """All that decides the examples of a seed, but for the content of the set."""
        protocol = self.protocol
        learn = {"learn": protocol.learn} if protocol.learn else {}
        return {"set": self.set, "protocol": protocol.name, "kind": protocol.kind,
                "folds": protocol.folds, **learn}  # fmt: skip

    def training_seed(self, base: int, seed: int, fold: int) -> int:
        """Return the seed of first weights and order of graphs, the same for every method.

        Pairs and triplets are drawn for a seed, which the training has, too.
        """
        digest = hashlib.sha256(f"unit/{base}/{seed}/{fold}".encode()).digest()
        return int.from_bytes(digest[:4], "little")


@dataclass(frozen=True)
class PairData:
    """Pairs of random graphs to train on, to choose the epoch by, and to test.

    Args:
        kind, nodes, hardness, edit: of `graphpool.data.synthetic.matching.build.matching_pairs`.
        train, valid: pairs of all sizes together.
        test: pairs of each size that is tested; they are drawn afresh.
        seed: decides all of them.
        tested: sizes of test graphs; by default those of `nodes`.
    """

    kind: Literal["paper", "balanced"]
    nodes: tuple[int, ...]
    train: int
    valid: int
    test: int
    hardness: Literal["easy", "medium", "hard"] = "easy"
    seed: int = 0
    tested: tuple[int, ...] = ()
    edit: Literal["none", "rewire", "swap"] | None = None

    digest: ClassVar[str] = ""
    auto: ClassVar[tuple[str, ...]] = ()
    task: ClassVar[str] = "matching"
    folded: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Such as `balanced-hard-20`."""
        edit = [] if self.edit is None else [self.edit]
        hardness = [] if self.kind == "paper" else [self.hardness, *edit]
        return "-".join([self.kind, *hardness, *map(str, self.nodes)])

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of the graphs that are tested."""
        return self.tested or self.nodes

    @property
    def facts(self) -> dict[str, Any]:
        """All that decides the pairs of a seed."""
        values = {**asdict(self), "tested": list(self.sizes), "version": VERSION}
        del values["seed"]
        return {**values, "nodes": list(self.nodes)}


@dataclass(frozen=True)
class TripletData:
    """Triplets of a set of graphs with distances between all of them.

    Args:
        set: its name.
        digest: of graphs and distances; see `example_files.add_source`.
        train, valid: how many triplets train, and how many choose the epoch, if there are as
            many. Candidates are training graphs; a tenth of the training graphs are queries of
            the validation triplets instead.
        split: `published`; `graphs`, at random; or `classes`, with isomorphic graphs in one part.
        seed: decides the triplets and the split; of the published one, which graphs validate.
        auto: as of `GraphData`.
    """

    set: str
    digest: str
    train: int
    valid: int
    split: Literal["published", "graphs", "classes"] = "published"
    seed: int = 0
    auto: tuple[str, ...] = ()

    task: ClassVar[str] = "similarity"
    folded: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Such as `LINUX` or `LINUX-classes`."""
        return self.set if self.split == "published" else f"{self.set}-{self.split}"

    @property
    def facts(self) -> dict[str, Any]:
        """All that decides the triplets of a seed, but for the content of the set."""
        values = asdict(self)
        del values["seed"], values["digest"], values["auto"]
        return values


Data = GraphData | PairData | TripletData
