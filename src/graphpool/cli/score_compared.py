"""`graphpool evaluate --model RUN DATA` for a network that compares graphs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphpool.cli.compared_results import (
    pairs_figures,
    print_matching,
    print_similarity,
    ranking_figures,
    rule_figures,
    rule_figures_by_halves,
)
from graphpool.cli.output import plural, print_json, print_line

if TYPE_CHECKING:
    from graphpool.graphs.graphset import GraphSet
    from graphpool.models.comparer import Comparer


def score_compared(
    model: Path,
    sets: Sequence[str],
    device: str,
    root: Path | None,
    json: bool,
    pairs: str = "",
    distances: str = "",
) -> None:
    """Score a comparer on whole sets.

    Args:
        pairs: file of pairs, for a set of graphs of one's own; `distances` likewise.
    """
    from graphpool.errors import ConfigError
    from graphpool.models.comparer_file import load_comparer

    comparer = load_comparer(model, device)
    matching = comparer.config.task == "matching"
    if (distances if matching else pairs) != "":
        wrong = "--distances" if matching else "--pairs"
        raise ConfigError(f"{model} was trained for {comparer.config.task}; leave out {wrong}")
    documents = []
    for name in sets:
        document = (
            _matching(comparer, name, pairs, root)
            if matching
            else _similarity(comparer, name, distances, root)
        )
        documents.append(document)
        if not json:
            print_line(_title(document))
            (print_matching if matching else print_similarity)(document)
            for warning in document["warnings"]:
                print_line(f"warning: {warning}")
    if json:
        print_json({"model": str(model), "scores": documents})


def _title(document: dict[str, Any]) -> str:
    """The set, and who ranks whom in it."""
    if "graphs" not in document:
        return f"{document['data']}:"
    asked, others = (document["graphs"][key] for key in ("queries", "candidates"))
    whom = "the others" if others == asked else f"{others:,} that trained"
    return f"{document['data']}, {plural(asked, 'graph')} ranking {whom}:"


def _matching(comparer: "Comparer", name: str, pairs: str, root: Path | None) -> dict[str, Any]:
    """Pairs of a file over a set, or drawn ones: as many as the run tested, from its seed."""
    from dataclasses import replace

    from graphpool.data import load as datasets
    from graphpool.data.pairs.pairs_csv import read_pairs
    from graphpool.data.synthetic.matching.names import is_matching_name
    from graphpool.tasks.matching_data import check_matching, part_seed

    asked = replace(comparer.config.compare, pairs=pairs)
    config = replace(comparer.config, data=name, compare=asked)
    check_matching(config)
    warnings = []
    if is_matching_name(name):
        tested = datasets.pairs(name, asked.test, part_seed(config, "test"))
        others = datasets.pairs(name, asked.valid, part_seed(config, "valid"))
        rules = rule_figures(others, tested)
    else:
        graphs = datasets.find(name, root, features=None)
        comparer.check_labels(graphs)
        tested = read_pairs(pairs, graphs)
        rules = rule_figures_by_halves(tested)
        warnings = _seen(comparer, graphs)
    return {
        "task": "matching",
        "data": tested.name,
        "examples": {"test": len(tested)},
        "test": pairs_figures(comparer, tested),
        "rules": rules,
        "warnings": warnings,
    }


def _similarity(
    comparer: "Comparer", name: str, distances: str, root: Path | None
) -> dict[str, Any]:
    """Test graphs rank the others, if the set is the model's own; else each graph all others."""
    import numpy as np

    from graphpool.data import load as datasets
    from graphpool.data.source import set_digest
    from graphpool.tasks.similarity_data import computed_distances, known_distances

    graphs = datasets.find(name, root, features=None)
    comparer.check_labels(graphs)
    true = known_distances(graphs, name, distances, root) or computed_distances(graphs)
    everything, source = np.arange(len(graphs)), comparer.source
    queries = candidates = everything
    warnings = []
    if source is not None and source.digest == set_digest(graphs):
        if source.held_out:
            queries = np.array(source.held_out, dtype=np.int64)
            candidates = np.setdiff1d(everything, queries)
        else:
            warnings = ["all of these graphs trained the model: this is no test accuracy"]
    return {
        "task": "similarity",
        "data": graphs.name,
        "graphs": {"queries": len(queries), "candidates": len(candidates)},
        "distances": true.origin,
        **ranking_figures(comparer, graphs, true.values, queries, candidates),
        "warnings": warnings,
    }


def _seen(comparer: "Comparer", graphs: "GraphSet") -> list[str]:
    """What to warn of graphs that the model was trained on."""
    from graphpool.data.source import set_digest

    source = comparer.source
    if source is None or source.digest != set_digest(graphs):
        return []
    seen = len(graphs) - len(source.held_out)
    return [
        f"{seen} of these graphs are in pairs that trained the model or chose its epoch: this is "
        "no test accuracy"
    ]
