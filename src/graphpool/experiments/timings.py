"""Blocks of pages that show timings: tables of the files in `results/benchmarks`.

The scripts of `benchmarks/` measure and write these files; see `TIMINGS` for which fills what.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from graphpool.documents import expected_values, read_json
from graphpool.experiments.molecule_timings import chemprop_table
from graphpool.experiments.paper_timings import paper_complexity, paper_invariance, paper_sets
from graphpool.experiments.pooler_timings import (
    paper_methods_speed,
    pooler_methods,
    pooler_speed,
)
from graphpool.experiments.text import NONE, paragraphs, table, three, time_text, where_text

Found = dict[str, Any]
Columns = Mapping[str, tuple[str, Callable[[Any], str]]]
"""Title → key of the file, and how its value reads."""

MISSING = "*Not measured yet.*\n"


def timing_text(name: str, folder: Path) -> str:
    """The text of a block."""
    file, make, needs = TIMINGS[name]
    if not file:
        return make({})
    path = folder / file
    found = read_json(path, dict[str, Any]) if path.exists() else {}
    if not found or any(key not in found for key in needs):
        return MISSING
    with expected_values(path, "run its script in benchmarks/ again"):
        return make(found)


def _down(head: str, rows: Iterable[tuple[str, Found]], columns: Columns) -> str:
    """A table with a row for each entry of a file."""
    lines = ((name, *_cells(row, columns)) for name, row in rows)
    return table((head, *columns), lines)


def _across(head: str, entries: Mapping[str, Found], rows: Columns) -> str:
    """A table with a column for each entry of a file."""
    columns = [_cells(entry, rows) for entry in entries.values()]
    lines = zip(rows, *columns, strict=True)
    return table((head, *entries), lines)


def _cells(entry: Found, values: Columns) -> list[str]:
    return [form(entry[key]) if key in entry else NONE for key, form in values.values()]


def _count(value: float | int) -> str:
    return f"{value:,.0f}"


def _percent(share: float | int) -> str:
    return f"{three(100 * share)} %"


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"


def _digits(digits: int) -> Callable[[float], str]:
    return lambda value: f"{value:.{digits}f}"


def _seconds(unit: float) -> Callable[[float], str]:
    """Times that are measured in a unit of so many seconds."""
    return lambda value: time_text(value * unit)


def _made_by(script: str, found: Found) -> str:
    return f"`python benchmarks/{script}.py`; {where_text(found)}."


# ---------------------------------------------------------------------- edit distances


def _ged_machine(found: Found) -> str:
    machine, versions = found["machine"], found["versions"]
    return (
        f"Measured on {machine['processor']} ({machine['cores']} cores), Python "
        f"{versions['python']}, numba {versions['numba']}, NetworkX {versions['networkx']}.\n"
    )


def _ged_sets(found: Found) -> str:
    """All pairs of whole sets."""
    columns: Columns = {
        "pairs": ("pairs", _count),
        "all of them, 2 threads": ("seconds, 2 jobs", time_text),
        "a pair": ("µs a pair, duplicates once", _seconds(1e-6)),
        "a pair, nothing merged": ("µs a pair, every pair", _seconds(1e-6)),
    }
    return _down("set", found["sets"].items(), columns)


def _times(found: Found, way: str) -> str:
    """How much longer NetworkX takes; at least so much where it was stopped."""
    least = "at least " if found["networkx stopped after its limit"] else ""
    return f"{least}{three(found[f'networkx / ours in {way}'])}"


def _ged_networkx(found: Found) -> str:
    """NetworkX beside ours."""
    row = found["networkx"]
    stopped = row["networkx stopped after its limit"]
    limit = row["limit of networkx, seconds a pair"]
    made = table(
        (f"{row['pairs']} pairs", "time", "NetworkX / ours"),
        (
            ("NetworkX", time_text(row["networkx, seconds"]), ""),
            ("ours, one call for all", time_text(row["ours in one call, seconds"]),
             _times(row, "one call")),
            ("ours, a call a pair", time_text(row["ours in a call a pair, seconds"]),
             _times(row, "a call a pair")),
        ),
    )  # fmt: skip
    if stopped:
        made += f"\nNetworkX was stopped after {limit:g} s on {stopped} of the pairs.\n"
    return made


def _ged_random(found: Found) -> str:
    """Random graphs by size."""
    rows = found["random"]
    limit = next(iter(rows.values()))["limit s"]
    columns: Columns = {
        "pairs": ("pairs", str),
        "mean": ("mean ms", _seconds(1e-3)),
        "median": ("median ms", _seconds(1e-3)),
        "95th percentile": ("95th percentile ms", _seconds(1e-3)),
        f"solved in {limit:g} s": ("share solved", _percent),
    }
    return _down("nodes", rows.items(), columns)


def _ged_molecules(found: Found) -> str:
    """Molecules by size, and their picture."""
    rows = found["molecules"]
    columns: Columns = {
        "pairs": ("pairs", str),
        "median": ("median s", time_text),
        "95th percentile": ("95th percentile s", time_text),
        f"solved in {rows[0]['limit s']:g} s": ("share solved", _percent),
    }
    made = _down("nodes (± 1)", ((str(row["nodes"]), row) for row in rows), columns)
    picture = "../results/benchmarks/ged.png"
    return f"{made}\n![Seconds for a pair by the size of molecules]({picture})\n"


def _ged_summary(found: Found) -> str:
    """The most telling number of each part."""
    rows = [
        (f"all {row['pairs']:,} pairs of {name}, 2 threads", time_text(row["seconds, 2 jobs"]))
        for name, row in found["sets"].items()
    ]
    against = found["networkx"]
    rows.append(
        (f"NetworkX's time over ours, {against['pairs']} pairs of 8 to 10 atoms",
         _times(against, "one call"))
    )  # fmt: skip
    for row in found["molecules"]:
        if row["nodes"] in (20, 30):
            share = f"{_percent(row['share solved'])} in {row['limit s']:g} s"
            text = f"{time_text(row['median s'])}, {share}"
            rows.append((f"two molecules of {row['nodes']} atoms: median, share solved", text))
    return table(("exact distances, one thread unless said", ""), rows)


# ---------------------------------------------------------------------- epochs, batches, layers


def _sets(found: Found) -> dict[str, Found]:
    """Rows of a file whose keys are sets, beside what describes the measurement."""
    about = ("machine", "versions", "command", "gpu", "torch")
    return {name: row for name, row in found.items() if name not in about}


def _epoch(found: Found) -> str:
    rows: Columns = {
        "hap-one-way over PyG's flat GCN + SumPool": ("hap / pyg-flat", _digits(2)),
        "hap by content over the same": ("hap-content / pyg-flat", _digits(2)),
        "our SumPool over the same": ("sum / pyg-flat", _digits(2)),
        "PyG's dense DiffPool over hap-one-way": ("pyg-diffpool / hap", _digits(1)),
        "hap-one-way over hap by content": ("hap / hap-content", _digits(2)),
    }
    made = _across("time of an epoch", _sets(found), rows)
    return paragraphs(made, f"`make bench`; {where_text(found)}.")


def _batching(found: Found) -> str:
    rows: Columns = {"batches: time of PyG's `DataLoader` over ours": ("pyg / ours", three)}
    return paragraphs(_across("", _sets(found), rows), _made_by("batching", found))


def _layers(found: Found) -> str:
    rows: Columns = {
        f"one {name} layer: our time over PyG's": (f"{name.lower()}, ours / pyg", three)
        for name in ("GCN", "GAT", "GIN")
    }
    return paragraphs(_across("", _sets(found), rows), _made_by("layers", found))


def _edge_layers(found: Found) -> str:
    rows: Columns = {
        f"one {name} layer with features of edges: our time over PyG's": (
            f"{name.lower()}, ours / pyg",
            three,
        )
        for name in ("GINE", "GATv2", "Gated")
    }
    return paragraphs(_across("", _sets(found), rows), _made_by("edge_layers", found))


def _scaling(found: Found) -> str:
    """A step of HAP on one graph, by its size."""
    times, peaks = found["times the smallest"], found["peak GiB"]
    made = table(
        ("nodes", *(f"{int(nodes):,}" for nodes in times)),
        (
            ("time, times the smallest", *map(three, times.values())),
            ("peak of the process, GiB", *map(three, peaks.values())),
        ),
    )
    slope = f"The log-log slope is {found['slope']:.2f}; 1 is linear."
    return paragraphs(made, f"{slope} {_made_by('scaling', found)}")


def _gpu(found: Found) -> str:
    """Graphs per second on a GPU."""
    columns: Columns = {
        "hap-one-way, training": ("hap training", _count),
        "SumPool, training": ("sum training", _count),
        "PyG flat, training": ("pyg-flat training", _count),
        "hap-one-way, embedding": ("hap embedding", _count),
    }
    rows = [
        (f"{name}, {size}", row[f"batch {size}"])
        for name, row in _sets(found).items()
        for size in (32, 512)
        if f"batch {size}" in row
    ]
    made = _down("graphs a second: set, graphs a batch", rows, columns)
    return paragraphs(made, _made_by("gpu", found))


def _throughput(found: Found) -> str:
    """An epoch of triplets, graphs embedded once or thrice."""
    rows = [
        (
            f"`{row['method']}`", f"{row['batch']:,}", f"{row['graphs']['once']:.0f}",
            f"{row['graphs']['thrice']:,}", three(row["seconds"]["once"]),
            three(row["seconds"]["thrice"]), f"{row['thrice / once']:.1f}",
        )
        for row in found["rows"]
    ]  # fmt: skip
    head = ("method", "triplets a batch", "its graphs, once", "three a triplet", "s", "s, three",
            "ratio")  # fmt: skip
    return paragraphs(table(head, rows), _made_by("triplet_throughput", found))


# ---------------------------------------------------------------------- places


def _ring(found: Found) -> str:
    """Accuracy and clusters of the models in the picture."""
    train = found["config"]["train"]
    head = (
        f"Each model learned from {found['graphs']:,} graphs of `ring` with the settings of "
        f"`graphpool train` and a cosine schedule, {train['epochs']} epochs, seed "
        f"{train['seed']}. Means over {found['graphs']:,} unseen graphs; chance is 50 %:"
    )
    columns: Columns = {
        "accuracy": ("accuracy", lambda share: f"{100 * share:.1f} %"),
        "clusters": ("level1/clusters", _digits(1)),
        "strongest for some node": ("level1/clusters_used", _digits(1)),
        "effective rank of M": ("level1/effective_rank", _digits(2)),
    }
    made = _down("model", ((f"`{name}`", row) for name, row in found["models"].items()), columns)
    return paragraphs(head, made, "`python benchmarks/places_pictures.py`")


def _growth(found: Found) -> str:
    """Seconds and memory of one large graph, by its kind."""
    rows = found["growth"]
    sizes = sorted(next(iter(rows.values()))["seconds"], key=int)
    least, most = sizes[0], sizes[-1]
    head = ("kind of graph", f"{int(least):,} nodes", f"{int(most):,} nodes", "log-log slope",
            "peak of the process")  # fmt: skip
    lines = (
        (
            kind, time_text(row["seconds"][least]), time_text(row["seconds"][most]),
            f"{row['slope']:.2f}", f"{three(row['peak GiB'][most])} GiB",
        )
        for kind, row in rows.items()
    )  # fmt: skip
    return table(head, lines)


def _place_sets(found: Found) -> str:
    """Seconds for all graphs of a set, once."""
    rows: Columns = {
        "graphs": ("graphs", _count),
        "time, one thread": ("seconds", time_text),
        "clusters a graph": ("clusters a graph", _digits(1)),
    }
    return _across("places of a whole set", found["sets"], rows)


def _quality(found: Found) -> str:
    """Adjusted Rand index against the true communities."""
    columns = {"ring, bridges=1": "ring", "ring, bridges=6": "ring, 6 bridges"}
    rows = {
        "networkx": ("Louvain of NetworkX, resolution 1.5", "no"),
        "ours": ("ours", "yes"),
    }
    made = table(
        ("adjusted Rand index", "same for every numbering", *columns.values()),
        (
            (title, same, *(f"{found[column][key]:.3f}" for column in columns))
            for key, (title, same) in rows.items()
        ),
    )
    return paragraphs(made, "`python benchmarks/places_quality.py`")


def _ring_sets(found: Found) -> str:
    """What sets are made of, and which graphs `units="auto"` divides by rings."""
    columns: Columns = {
        "graphs": ("graphs", _count),
        "edges per node": ("edges per node", _digits(2)),
        "nodes in rings": ("in rings", _share),
        "in the largest component": ("in the largest component", _share),
        "places": ("places", _digits(1)),
        "by rings": ("parts by rings", _digits(1)),
        "by auto": ("parts by auto", _digits(1)),
        "graphs that auto changes": ("changed by auto", _share),
    }
    rows = ((name.replace(":graphs=1000", "").replace(",seed=1", ""), row)
            for name, row in found["sets"].items())  # fmt: skip
    return paragraphs(_down("set", rows, columns), _made_by("rings", found))


def _ring_cuts(found: Found) -> str:
    """Bonds that places cut, against those that a chemist cuts."""
    columns: Columns = {
        "precision": ("precision", _digits(2)),
        "recall": ("recall", _digits(2)),
        "bonds of rings that are cut": ("ring bonds cut", _share),
        "places": ("parts", _digits(1)),
    }
    names = {
        "none": "modularity",
        "whole": "rings, and modularity of the whole graph",
        "rings": '`units="rings"`',
    }
    rows = ((f"{names[units]}, resolution {resolution}", row) for name, row in found["cuts"].items()
            for units, _, resolution in [name.partition(" at ")])  # fmt: skip
    return _down("rule", rows, columns)


def _ring_time(found: Found) -> str:
    """Seconds for many molecules, on one core."""
    row = found["time"]
    return (
        f"{row['graphs']:,} molecules of ZINC ({row['nodes']:,} atoms) take {row['rings s']:.0f} s "
        f"on one core, and {row['modularity s']:.0f} s by modularity alone.\n"
    )


TIMINGS: dict[str, tuple[str, Callable[[Found], str], tuple[str, ...]]] = {
    "ged: machine": ("ged.json", _ged_machine, ("machine", "versions")),
    "ged: sets": ("ged.json", _ged_sets, ("sets",)),
    "ged: networkx": ("ged.json", _ged_networkx, ("networkx",)),
    "ged: random": ("ged.json", _ged_random, ("random",)),
    "ged: molecules": ("ged.json", _ged_molecules, ("molecules",)),
    "ged: summary": ("ged.json", _ged_summary, ("sets", "networkx", "molecules")),
    "speed: epoch": ("epoch.json", _epoch, ()),
    "speed: batching": ("batching.json", _batching, ()),
    "speed: layers": ("layers.json", _layers, ()),
    "speed: edge layers": ("edge_layers.json", _edge_layers, ()),
    "speed: scaling": ("scaling.json", _scaling, ("slope",)),
    "speed: gpu": ("gpu.json", _gpu, ()),
    "comparing: throughput": ("triplets.json", _throughput, ("rows",)),
    "places: ring": ("places_ring.json", _ring, ("models",)),
    "places: growth": ("places.json", _growth, ("growth",)),
    "places: sets": ("places.json", _place_sets, ("sets",)),
    "places: quality": ("places_quality.json", _quality, ()),
    "rings: sets": ("rings.json", _ring_sets, ("sets",)),
    "rings: cuts": ("rings.json", _ring_cuts, ("cuts",)),
    "rings: time": ("rings.json", _ring_time, ("time",)),
    "molecules: chemprop": ("chemprop.json", chemprop_table, ("sets",)),
    "reproduction: sets": ("paper_sets.json", paper_sets, ("sets",)),
    "reproduction: complexity": ("complexity.json", paper_complexity, ("methods",)),
    "reproduction: invariance": ("invariance.json", paper_invariance, ("sets",)),
    "reproduction: cost of methods": ("poolers.json", paper_methods_speed, ("sets", "methods")),
    "poolers: methods": ("", pooler_methods, ()),
    "poolers: speed": ("poolers.json", pooler_speed, ("sets", "methods")),
}
"""Block → file, the function that writes it, and the parts of the file that it needs."""
