"""Blocks of pages that show timings: tables of the files in `results/benchmarks`.

The scripts of `benchmarks/` measure and write these files; see `TIMINGS` for which fills what.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphpool.experiments.pooler_timings import pooler_methods, pooler_speed
from graphpool.experiments.text import (
    NONE,
    paragraphs,
    table,
    three,
    time_text,
    where_text,
)

Found = dict[str, Any]
MISSING = "*Not measured yet.*\n"


def timing_text(name: str, folder: Path) -> str:
    """The text of a block."""
    file, make, needs = TIMINGS[name]
    if not file:
        return make({})
    path = folder / file
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return make(found) if found and all(key in found for key in needs) else MISSING


# ---------------------------------------------------------------------- edit distances


def _ged_machine(found: Found) -> str:
    machine, versions = found["machine"], found["versions"]
    return (
        f"Measured on {machine['processor']} ({machine['cores']} cores), Python "
        f"{versions['python']}, numba {versions['numba']}, NetworkX {versions['networkx']}.\n"
    )


def _ged_sets(found: Found) -> str:
    """All pairs of whole sets."""
    return table(
        ("set", "pairs", "all of them, 2 threads", "a pair", "a pair, nothing merged"),
        (
            (
                name,
                f"{row['pairs']:,}",
                time_text(row["seconds, 2 jobs"]),
                time_text(row["µs a pair, duplicates once"] / 1e6),
                time_text(row["µs a pair, every pair"] / 1e6),
            )
            for name, row in found["sets"].items()
        ),
    )


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


def _share(row: Found) -> str:
    return f"{three(100 * row['share solved'])} %"


def _ged_random(found: Found) -> str:
    """Random graphs by size."""
    rows = found["random"]
    limit = next(iter(rows.values()))["limit s"]
    keys = ("mean ms", "median ms", "95th percentile ms")
    return table(
        ("nodes", "pairs", "mean", "median", "95th percentile", f"solved in {limit:g} s"),
        (
            (nodes, str(row["pairs"]), *(time_text(row[key] / 1e3) for key in keys), _share(row))
            for nodes, row in rows.items()
        ),
    )


def _ged_molecules(found: Found) -> str:
    """Molecules by size, and their picture."""
    rows = found["molecules"]
    limit = rows[0]["limit s"]
    made = table(
        ("nodes (± 1)", "pairs", "median", "95th percentile", f"solved in {limit:g} s"),
        (
            (
                str(row["nodes"]),
                str(row["pairs"]),
                time_text(row["median s"]),
                time_text(row["95th percentile s"]),
                _share(row),
            )
            for row in rows
        ),
    )
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
            share = f"{_share(row)} in {row['limit s']:g} s"
            text = f"{time_text(row['median s'])}, {share}"
            rows.append((f"two molecules of {row['nodes']} atoms: median, share solved", text))
    return table(("exact distances, one thread unless said", ""), rows)


# ---------------------------------------------------------------------- epochs, batches, layers

_EPOCH = {
    "hap / pyg-flat": "HAP over PyG's flat GCN + SumPool",
    "hap-content / pyg-flat": "HAP by content over the same",
    "sum / pyg-flat": "our SumPool over the same",
    "pyg-diffpool / hap": "PyG's dense DiffPool over HAP",
    "hap / hap-content": "HAP over HAP by content",
}


def _sets(found: Found) -> dict[str, Found]:
    """Rows of a file whose keys are sets, beside what describes the measurement."""
    about = ("machine", "versions", "command", "gpu", "torch")
    return {name: row for name, row in found.items() if name not in about}


def _epoch(found: Found) -> str:
    sets = _sets(found)

    def cell(row: Found, key: str) -> str:
        return f"{row[key]:.{1 if key.startswith('pyg') else 2}f}" if key in row else NONE

    made = table(
        ("time of an epoch", *sets),
        ((title, *(cell(row, key) for row in sets.values())) for key, title in _EPOCH.items()),
    )
    return paragraphs(made, f"`make bench`; {where_text(found)}.")


def _ratios(rows: dict[str, str], script: str) -> Callable[[Found], str]:
    """A table with a row per ratio and a column per set."""

    def text(found: Found) -> str:
        sets = _sets(found)
        made = table(
            ("", *sets),
            ((title, *(three(row[key]) for row in sets.values())) for key, title in rows.items()),
        )
        return paragraphs(made, f"`python benchmarks/{script}.py`; {where_text(found)}.")

    return text


_BATCHING = {"pyg / ours": "batches: time of PyG's `DataLoader` over ours"}
_LAYERS = {
    f"{name.lower()}, ours / pyg": f"one {name} layer: our time over PyG's"
    for name in ("GCN", "GAT", "GIN")
}


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
    return paragraphs(made, f"{slope} `python benchmarks/scaling.py`; {where_text(found)}.")


def _gpu(found: Found) -> str:
    """Graphs per second on a GPU."""
    columns = {
        "hap training": "hap, training", "sum training": "SumPool, training",
        "pyg-flat training": "PyG flat, training", "hap embedding": "hap, embedding",
    }  # fmt: skip
    rows = [
        (f"{name}, {size}", *(f"{row[f'batch {size}'][key]:,.0f}" for key in columns))
        for name, row in _sets(found).items()
        for size in (32, 512)
        if f"batch {size}" in row
    ]
    return paragraphs(
        table(("graphs a second: set, graphs a batch", *columns.values()), rows),
        f"`python benchmarks/gpu.py`; {where_text(found)}.",
    )


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
    return paragraphs(
        table(head, rows), f"`python benchmarks/triplet_throughput.py`; {where_text(found)}."
    )


# ---------------------------------------------------------------------- places


def _ring(found: Found) -> str:
    """Accuracy and clusters of the models in the picture."""
    train = found["config"]["train"]
    head = (
        f"Each model learned from {found['graphs']:,} graphs of `ring` with the settings of "
        f"`graphpool train` and a cosine schedule, {train['epochs']} epochs, seed "
        f"{train['seed']}. Means over {found['graphs']:,} unseen graphs; chance is 50 %:"
    )
    rows = (
        (
            f"`{name}`",
            f"{100 * row['accuracy']:.1f} %",
            f"{row['level1/clusters']:.1f}",
            f"{row['level1/clusters_used']:.1f}",
            f"{row['level1/effective_rank']:.2f}",
        )
        for name, row in found["models"].items()
    )
    named = ("model", "accuracy", "clusters", "strongest for some node", "effective rank of M")
    return paragraphs(head, table(named, rows), "`python benchmarks/places_pictures.py`")


def _growth(found: Found) -> str:
    """Seconds and memory of one large graph, by its kind."""

    def ends(row: Found) -> list[str]:
        sizes = sorted(row["seconds"], key=int)
        return [sizes[0], sizes[-1]]

    rows = [
        (
            kind,
            *(time_text(row["seconds"][size]) for size in ends(row)),
            f"{row['slope']:.2f}",
            f"{three(row['peak GiB'][ends(row)[-1]])} GiB",
        )
        for kind, row in found["growth"].items()
    ]
    sizes = [f"{int(size):,} nodes" for size in ends(next(iter(found["growth"].values())))]
    return table(("kind of graph", *sizes, "log-log slope", "peak of the process"), rows)


def _place_sets(found: Found) -> str:
    """Seconds for all graphs of a set, once."""
    rows = found["sets"].items()
    return table(
        ("places of a whole set", *(name for name, _ in rows)),
        (
            ("graphs", *(f"{row['graphs']:,}" for _, row in rows)),
            ("time, one thread", *(time_text(row["seconds"]) for _, row in rows)),
            ("clusters a graph", *(f"{row['clusters a graph']:.1f}" for _, row in rows)),
        ),
    )


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


TIMINGS: dict[str, tuple[str, Callable[[Found], str], tuple[str, ...]]] = {
    "ged: machine": ("ged.json", _ged_machine, ("machine", "versions")),
    "ged: sets": ("ged.json", _ged_sets, ("sets",)),
    "ged: networkx": ("ged.json", _ged_networkx, ("networkx",)),
    "ged: random": ("ged.json", _ged_random, ("random",)),
    "ged: molecules": ("ged.json", _ged_molecules, ("molecules",)),
    "ged: summary": ("ged.json", _ged_summary, ("sets", "networkx", "molecules")),
    "speed: epoch": ("epoch.json", _epoch, ()),
    "speed: batching": ("batching.json", _ratios(_BATCHING, "batching"), ()),
    "speed: layers": ("layers.json", _ratios(_LAYERS, "layers"), ()),
    "speed: scaling": ("scaling.json", _scaling, ("slope",)),
    "speed: gpu": ("gpu.json", _gpu, ()),
    "comparing: throughput": ("triplets.json", _throughput, ("rows",)),
    "places: ring": ("places_ring.json", _ring, ("models",)),
    "places: growth": ("places.json", _growth, ("growth",)),
    "places: sets": ("places.json", _place_sets, ("sets",)),
    "places: quality": ("places_quality.json", _quality, ()),
    "poolers: methods": ("", pooler_methods, ()),
    "poolers: speed": ("poolers.json", pooler_speed, ("sets", "methods")),
}
"""Block → file, the function that writes it, and the parts of the file that it needs."""
