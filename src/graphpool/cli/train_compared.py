"""`graphpool train --task matching|similarity`: a network that compares graphs, and its folder."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphpool.cli.compared_results import (
    matching_document,
    print_matching,
    print_similarity,
    similarity_document,
)
from graphpool.cli.experiment import stopping
from graphpool.cli.output import plural, print_json, print_line, print_status
from graphpool.cli.run_folder import (
    CONFIG,
    DISTANCES,
    RESULT,
    keep_examples,
    kept_split,
    prepare,
)
from graphpool.config import RunConfig, to_dict, write_toml
from graphpool.files import write_json

if TYPE_CHECKING:
    from graphpool.data.splits import Split
    from graphpool.graphs.graphset import GraphSet
    from graphpool.models.comparer import Comparer
    from graphpool.tasks.matching_data import MatchingData
    from graphpool.tasks.similarity_data import SimilarityData, TrueDistances
    from graphpool.training.loop import FitResult


def train_compared(
    run: RunConfig, folder: Path, resume: bool, root: Path | None, json: bool
) -> None:
    """Train a comparer with these settings, test it, and print what came of it."""
    from graphpool.models.comparer import train_comparer
    from graphpool.tasks.matching_data import MatchingData, check_matching
    from graphpool.tasks.similarity_data import SimilarityData

    matching = run.task == "matching"
    if matching:
        check_matching(run)
    open_data = _pairs if matching else _triplets
    data: MatchingData | SimilarityData = open_data(run, folder, resume, root)
    keep_examples(folder, data.facts)
    write_toml(run, folder / CONFIG)
    if not json:
        _introduce(data, run, folder)
    with stopping(_go_on(folder)):
        comparer, result = train_comparer(
            data.train,
            data.valid,
            run,
            source=data.source,
            folder=folder,
            resume=resume,
            progress=True,
        )
    judged = (
        matching_document(comparer, data)
        if isinstance(data, MatchingData)
        else similarity_document(comparer, data)
    )
    document = {**judged, **_training(comparer, result)}
    write_json(folder / RESULT, document)
    if json:
        print_json(document)
        return
    (print_matching if matching else print_similarity)(document)
    print_line(
        f"Best epoch {document['best_epoch']} of {document['epochs']}, chosen on validation "
        f"{'pairs' if matching else 'triplets'} "
        f"({100 * document['valid']['accuracy']:.1f} %); {document['seconds']:.1f} s"
    )
    place = shlex.quote(str(folder))
    print_line(f"\nWritten to {folder}. Use it with: graphpool match A B --model {place}")
    print_line(f"A page about it: graphpool report {place}")


def _pairs(run: RunConfig, folder: Path, resume: bool, root: Path | None) -> "MatchingData":
    from graphpool.tasks.matching_data import matching_data

    data = matching_data(run, root)
    prepare(folder, resume)
    return data


def _triplets(run: RunConfig, folder: Path, resume: bool, root: Path | None) -> "SimilarityData":
    from graphpool.tasks.similarity_data import similarity_data

    return similarity_data(run, *open_ranking(run, folder, resume, root))


def open_ranking(
    run: RunConfig, folder: Path, resume: bool, root: Path | None
) -> "tuple[GraphSet, TrueDistances, Split, str]":
    """Graphs of a run, their distances, their split and its kind; the folder keeps what is made."""
    from graphpool.tasks.similarity_data import (
        computed_distances,
        has_split,
        known_distances,
        open_similar,
        split_graphs,
    )

    graphs = open_similar(run.data, root)
    kind, seed = run.compare.split, run.train.seed
    if kind == "published" and not has_split(run.data, root):
        kind = "graphs"
    true = known_distances(graphs, run.data, run.compare.distances, root)
    prepare(folder, resume)
    if true is None:
        if not resume:  # whoever stops the computation can go on with these settings
            write_toml(run, folder / CONFIG)
        with _computing(folder):
            true = computed_distances(graphs, folder / DISTANCES)
    split = kept_split(
        folder, graphs, kind, seed, lambda: split_graphs(graphs, run.data, kind, seed, root)
    )
    return graphs, true, split, kind


@contextmanager
def _computing(folder: Path) -> Iterator[None]:
    """Say how to go on if distances are interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        print_status(f"graphpool: stopped; distances computed so far are kept{_go_on(folder)}")
        raise SystemExit(130) from None


def _go_on(folder: Path) -> str:
    return f"; go on with: graphpool train --resume --out {shlex.quote(str(folder))}"


def _introduce(data: "MatchingData | SimilarityData", run: RunConfig, folder: Path) -> None:
    from graphpool.nn.zoo.build import METHODS
    from graphpool.nn.zoo.pairs import PAIR_METHODS
    from graphpool.tasks.matching_data import MatchingData
    from graphpool.tasks.similarity_data import COMPUTED, PUBLISHED

    counts = (
        f"{len(data.train):,} train, {len(data.valid):,} choose the epoch, {len(data.test):,} test"
    )
    if isinstance(data, MatchingData):
        print_status(f"{data.train.name}: of the pairs {counts}")
        if data.note:
            print_status(data.note)
    else:
        split = data.split
        print_status(
            f"{data.graphs.name}: {plural(len(data.graphs), 'graph')}, {len(split.train)} train, "
            f"{len(split.valid)} choose the epoch, {len(split.test)} test; distances "
            f"{data.true.origin if data.true.origin in (PUBLISHED, COMPUTED) else 'of a file'}"
        )
        print_status(f"of the triplets {counts}")
        if (kind := data.facts["split"]) != run.compare.split:
            print_status(f"there is no {run.compare.split} split of them: they are split by {kind}")
    name = run.model.pooler
    summary = PAIR_METHODS[name][0] if name in PAIR_METHODS else METHODS[name].summary
    print_status(f"{name} ({summary}); seed {run.train.seed}; in {folder}")


def _training(comparer: "Comparer", result: "FitResult") -> dict[str, Any]:
    """The part of `result.json` that says how it was trained."""
    return {
        "valid": result.best_metrics,
        "best_epoch": result.best_epoch,
        "epochs": len(result.history),
        "stopped": result.stopped,
        "seconds": sum(row["seconds"] for row in result.history),
        "config": to_dict(comparer.config),
        "versions": comparer.versions,
    }
