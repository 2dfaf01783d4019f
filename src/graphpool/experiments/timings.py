"""Blocks of pages that show timings: tables of the files in `results/benchmarks`.

The scripts of `benchmarks/` measure and write these files; see `TIMINGS` for which fills what.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from graphpool.experiments.text import (
    NONE,
    list_text,
    names_text,
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


# ---------------------------------------------------------------------- poolers


def _pooler_methods(_: Found) -> str:
    """The registry of poolers."""
    from graphpool.nn.zoo.networks import BUILT_IN
    from graphpool.nn.zoo.registry import count_parameters

    lines = [
        "| pooler | family | paper | keeps | cost | parameters |",
        "|---|---|---|---|---|---:|",
    ]
    for method in BUILT_IN:
        paper = method.paper if method.year is None else f"{method.paper} {method.year}"
        parameters = count_parameters(method.name)
        cells = (f"`{method.name}`", method.family, paper, method.keeps, method.cost,
                 NONE if parameters is None else f"{parameters:,}")  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _speed_table(found: Found) -> str:
    """Epoch time and peak memory of every method, as multiples of SumPool's; MiB in brackets."""
    sets = found["sets"]

    def cells(name: str) -> list[str]:
        made = []
        for measured in sets.values():
            row = measured["methods"].get(name)
            memory = f"{three(row['memory'])} ({three(row['MiB'])})" if row else NONE
            made += [three(row["time"]) if row else NONE, memory]
        return made

    heads = (head for data in sets for head in (f"{data}, time", "memory (MiB)"))
    return table(
        ("× SumPool", "family", *heads),
        (
            (f"`{name}`", method["family"], *cells(name))
            for name, method in found["methods"].items()
        ),
    )


def _pyg_table(found: Found) -> str:
    """How many times longer PyG's form takes."""
    sets = {data: row["pyg"] for data, row in found["sets"].items() if row["pyg"]}
    names = [name for name in found["methods"] if any(name in row for row in sets.values())]
    forms = {name: row[name]["form"] for row in sets.values() for name in row}

    def cell(row: Found, name: str) -> str:
        return three(row[name]["pyg / ours"]) if name in row else NONE

    return table(
        ("PyG's time / ours", "PyG's form", *sets),
        (
            (f"`{name}`", f"`{forms[name]}`", *(cell(row, name) for row in sets.values()))
            for name in names
        ),
    )


def faster_groups(measured: Found, methods: Found) -> list[str] | None:
    """Group poolers that take less time than `hap`; None if it was not measured."""
    rows = measured["methods"]
    if "hap" not in rows:
        return None
    names = (name for name in rows if methods[name]["family"] == "group")
    return [
        name
        for name in names
        if "hap" not in name.split("-") and rows[name]["time"] < rows["hap"]["time"]
    ]


def _group_text(found: Found) -> str:
    first: list[str] = []
    others: list[str] = []
    for data, measured in found["sets"].items():
        faster = faster_groups(measured, found["methods"])
        if faster:
            verb = "take" if len(faster) > 1 else "takes"
            others.append(f"on {data} {names_text(faster)} {verb} less time than `hap`")
        elif faster is not None:
            first.append(data)
    fastest = [f"on {list_text(first)} `hap` is the fastest of the group poolers"] if first else []
    text = "; ".join(fastest + others)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _speed(found: Found) -> str:
    """Both tables, how they came about, and where."""
    parts: Sequence[str] = [
        f"{row['graphs']:,} of {data}'s {row['of']:,} graphs"
        for data, row in found["sets"].items()
        if row["graphs"] < row["of"]
    ]
    cut = f" ({list_text(parts)})" if parts else ""
    head = (
        f"One training epoch in batches of {found['batch']}{cut}, one thread: the best of "
        "interleaved rounds in one process. Memory is the growth of the peak of a separate process "
        "in an epoch. Batches and places are prepared beforehand. " + _group_text(found)
    )
    picture = "![Time of an epoch against peak memory, one point per method](poolers_speed.png)"
    made = [head, picture, _speed_table(found)]
    if any(row["pyg"] for row in found["sets"].values()):
        made += [
            "PyG's networks of the same shape, in the same rounds; batches of the dense ones are "
            "padded beforehand. Group poolers that PyG does not have are compared with its dense "
            "DiffPool. PyG's Graph Multiset Transformer has one level and linear keys, where ours "
            "has two levels and graph convolutions, and its ASAP leaves out the weights of the "
            "coarse graph.",
            _pyg_table(found),
        ]
    failed = [
        f"{data}, `{name}`: {error}"
        for data, row in found["sets"].items()
        for name, error in row["failed"].items()
    ]
    made += [f"Not measured: {line}" for line in failed]
    command = "`python benchmarks/poolers.py --data-root FOLDER`"
    return paragraphs(*made, command, f"{where_text(found)}.")


TIMINGS: dict[str, tuple[str, Callable[[Found], str], tuple[str, ...]]] = {
    "ged: machine": ("ged.json", _ged_machine, ("machine", "versions")),
    "ged: sets": ("ged.json", _ged_sets, ("sets",)),
    "ged: networkx": ("ged.json", _ged_networkx, ("networkx",)),
    "ged: random": ("ged.json", _ged_random, ("random",)),
    "ged: molecules": ("ged.json", _ged_molecules, ("molecules",)),
    "ged: summary": ("ged.json", _ged_summary, ("sets", "networkx", "molecules")),
    "speed: epoch": ("epoch.json", _epoch, ()),
    "speed: gpu": ("gpu.json", _gpu, ()),
    "comparing: throughput": ("triplets.json", _throughput, ("rows",)),
    "places: ring": ("places_ring.json", _ring, ("models",)),
    "places: growth": ("places.json", _growth, ("growth",)),
    "places: sets": ("places.json", _place_sets, ("sets",)),
    "places: quality": ("places_quality.json", _quality, ()),
    "poolers: methods": ("", _pooler_methods, ()),
    "poolers: speed": ("poolers.json", _speed, ("sets", "methods")),
}
"""Block → file, the function that writes it, and the parts of the file that it needs."""
