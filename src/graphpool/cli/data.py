"""`graphpool data`: what sets there are, what is in them, and bringing in one's own."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphpool.cli.data_arguments import Root, open_graphs
from graphpool.cli.output import Json, percent, plural, print_json, print_line, print_table
from graphpool.errors import DataError

if TYPE_CHECKING:
    from graphpool.graphs.graphset import GraphSet
    from graphpool.graphs.statistics import Statistics

MOST_LABELS = 12

data_app = typer.Typer(
    help="List, describe and import data sets.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


@data_app.command("list")
def list_sets(root: Root = None, json: Json = False) -> None:
    """Show which sets are on this machine, which are made here, and which can be fetched."""
    from graphpool.data import catalogue
    from graphpool.data.locate import available, data_root
    from graphpool.data.synthetic.arrangements.settings import setting_names

    folder = data_root(root)
    found = available(root)
    here = {item.name for item in found}
    online = [name for name, entry in catalogue.KNOWN.items() if entry.url and name not in here]
    generated = [
        entry for name, entry in catalogue.KNOWN.items() if entry.generated and name not in here
    ]
    if json:
        print_json(
            {
                "root": None if folder is None else str(folder),
                "found": [
                    {"name": item.name, "origin": item.origin, "path": str(item.path)}
                    for item in found
                ],
                "generated": [
                    {
                        "name": entry.name,
                        "about": entry.about,
                        "settings": setting_names(entry.name),
                    }
                    for entry in generated
                ],
                "online": online,
            }
        )
        return
    print_table(
        ("set", "found in", "path"), [(item.name, item.origin, item.path) for item in found]
    )
    if folder is None:
        print_line(
            "\nNo data root: set GRAPHPOOL_DATA, or give --data-root, to use a folder of your own."
        )
    print_line(
        "\nGenerated, with settings after a colon, such as ring:graphs=500,bridges=6,seed=3:\n"
    )
    print_table(
        ("set", "what tells its classes apart", "settings"),
        [(entry.name, entry.about, ", ".join(setting_names(entry.name))) for entry in generated],
    )
    print_line(f"\nDownloaded when first used: {', '.join(online)}")


@data_app.command()
def show(
    name: Annotated[str, typer.Argument(help="A set's name, or a file or folder of graphs.")],
    root: Root = None,
    json: Json = False,
) -> None:
    """Describe a set: sizes, classes, labels, duplicates, notes of the reader."""
    from graphpool.data.catalogue import PAPER
    from graphpool.data.formats.safetensors import content_hash
    from graphpool.graphs.statistics import statistics

    graphs = open_graphs(name, root)
    facts = statistics(graphs)
    printed = PAPER.get(graphs.name)
    differences = (
        None
        if printed is None
        else printed.differences(
            facts.graphs, int(facts.nodes.max), facts.nodes.mean, len(facts.classes)
        )
    )
    if json:
        document = {"notes": graphs.notes, "content_hash": content_hash(graphs)}
        print_json({**facts.to_dict(), **document, "differences_from_paper": differences})
        return
    _describe(facts)
    for note in graphs.notes:
        print_line(f"note: {note}")
    if differences is not None:
        print_line(f"the paper's table: {'; '.join(differences) or 'the same numbers'}")


@data_app.command("import")
def import_set(
    path: Annotated[
        Path,
        typer.Argument(
            help="A .jsonl, .npz or .safetensors file, or a folder or zip of TU or GEXF files."
        ),
    ],
    out: Annotated[Path, typer.Option(help="FILE.safetensors or FILE.jsonl to write.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
    json: Json = False,
) -> None:
    """Read graphs in any known format, check them, and write them as one file.

    A .jsonl file has one JSON object per line, with these keys:

    \b
    id                name of the graph; its position if absent
    nodes             number of nodes; not needed beside labels or attributes
    node_labels       one word or whole number per node
    node_attributes   one list of numbers per node
    edges             pairs of nodes counted from 0, with a label behind or
                      not; no edges if absent
    edge_labels       one word or whole number per edge
    edge_attributes   one list of numbers per edge
    edge_weights      one number per edge
    directed          false if absent: each edge then also leads back
    graph_attributes  a list of numbers
    y                 the class, a word or a whole number

    \b
    {"node_labels": ["C", "N"], "edges": [[0, 1]], "y": "toxic"}
    """
    from graphpool.data.load import read

    _check_target(out, overwrite)
    graphs = read(path, features=None, cache=False)
    _write(graphs, out)
    document: dict[str, Any] = {
        "path": str(out),
        "name": graphs.name,
        "graphs": len(graphs),
        "nodes": graphs.num_nodes,
        "classes": [str(name) for name in graphs.classes],
        "notes": list(graphs.notes),
    }
    if json:
        print_json(document)
        return
    print_line(f"{out}: {plural(len(graphs), 'graph')}, {plural(graphs.num_nodes, 'node')}")
    for note in graphs.notes:
        print_line(f"note: {note}")


def _check_target(out: Path, overwrite: bool) -> None:
    if out.suffix not in (".safetensors", ".jsonl"):
        raise DataError.at(
            out, "can't write this format", hint="end it with .safetensors or .jsonl"
        )
    if out.exists() and not overwrite:
        raise DataError.at(out, "exists already", hint="give --overwrite to replace it")


def _write(graphs: "GraphSet", out: Path) -> None:
    if out.suffix == ".jsonl":
        from graphpool.data.formats.jsonl import write_jsonl

        write_jsonl(graphs, out)
    else:
        from graphpool.data.formats.safetensors import save

        save(graphs, out)


def _describe(facts: "Statistics") -> None:
    kind = f"{'directed' if facts.directed else 'undirected'}{', weighted' * facts.weighted}"
    print_line(f"{facts.name}: {plural(facts.graphs, 'graph')}, {kind}\n")
    spreads = {"nodes": facts.nodes, "edges": facts.edges, "density": facts.density}
    totals = {"nodes": facts.total_nodes, "edges": facts.total_edges, "density": None}
    print_table(
        ("per graph", "least", "mean", "most", "in all"),
        [
            (name, f"{part.min:g}", f"{part.mean:.2f}", f"{part.max:g}", _grouped(totals[name]))
            if name != "density"
            else (name, f"{part.min:.3f}", f"{part.mean:.3f}", f"{part.max:.3f}", "")
            for name, part in spreads.items()
        ],
        right=("least", "mean", "most", "in all"),
    )
    print_line()
    rows = [
        ("classes", _counts(facts.classes)),
        ("node labels", _counts(facts.node_labels)),
        ("edge labels", _counts(facts.edge_labels)),
        ("attributes", _attributes(facts)),
        ("connected", f"{facts.connected_graphs:,} of {plural(facts.graphs, 'graph')}"),
        ("isolated nodes", f"{facts.isolated_nodes:,}"),
        ("self-loops", f"{facts.self_loops:,}"),
        ("without edges", plural(facts.graphs_without_edges, "graph")),
    ]
    if (twins := facts.duplicates) is not None:
        rows.append(
            ("duplicates", f"{twins.repeated:,} graphs repeat an earlier one (by 1-WL), "
             f"{plural(twins.distinct, 'distinct graph')}")
        )  # fmt: skip
        if twins.mixed:
            rows.append(("", f"{twins.mixed} of them occur with different classes: 1-WL models "
                         f"can't pass {percent(twins.ceiling)}"))  # fmt: skip
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        print_line(f"{name:<{width}}  {text}")
    sys.stdout.flush()


def _grouped(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _attributes(facts: "Statistics") -> str:
    parts = {
        "node": facts.node_attributes,
        "edge": facts.edge_attributes,
        "graph": facts.graph_attributes,
    }
    return ", ".join(f"{count} per {name}" for name, count in parts.items() if count) or "none"


def _counts(values: tuple[tuple[Any, int], ...]) -> str:
    shown = ", ".join(f"{name} ({count:,})" for name, count in values[:MOST_LABELS])
    more = f", … {len(values)} in all" if len(values) > MOST_LABELS else ""
    return f"{shown}{more}" if values else "none"
