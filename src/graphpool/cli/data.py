"""`graphpool data`: what sets there are, what is in them, and bringing in one's own."""

from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from graphpool.cli.data_arguments import graph_position, open_graphs, with_columns
from graphpool.cli.options import Json, Overwrite, Root, SetName, command_group
from graphpool.cli.output import aligned, print_result
from graphpool.data.bad_rows import collect_bad_rows, write_bad_rows
from graphpool.errors import ConfigError, DataError
from graphpool.evaluation.format import Lines, Table, percent, plural
from graphpool.files import check_free, path_option

if TYPE_CHECKING:
    from graphpool.data.formats.chunked_set import ChunkedSet
    from graphpool.graphs.graphset import GraphSet
    from graphpool.graphs.statistics import Statistics

MOST_LABELS = 12

data_app = command_group("List, describe and import data sets.")


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
    settings = {entry.name: setting_names(entry.name) for entry in generated}
    document = {
        "root": None if folder is None else str(folder),
        "found": [
            {"name": item.name, "origin": item.origin, "path": str(item.path)} for item in found
        ],
        "generated": [
            {"name": entry.name, "about": entry.about, "settings": settings[entry.name]}
            for entry in generated
        ],
        "online": online,
    }
    lines: Lines = [
        Table(("set", "found in", "path"), [(item.name, item.origin, item.path) for item in found]),
        "\nGenerated, with settings after a colon, such as ring:graphs=500,bridges=6,seed=3:\n",
        Table(
            ("set", "what tells its classes apart", "settings"),
            [(entry.name, entry.about, ", ".join(settings[entry.name])) for entry in generated],
        ),
        f"\nDownloaded when first used: {', '.join(online)}",
    ]
    if folder is None:
        hint = "set GRAPHPOOL_DATA, or give --data-root, to use a folder of your own."
        lines.insert(1, f"\nNo data root: {hint}")
    print_result(json, document, lines)


@data_app.command()
@with_columns("name")
def show(
    name: SetName,
    html: Annotated[
        Path | None,
        typer.Option(help="FILE.html for a page, with histograms and drawn graphs."),
    ] = None,
    overwrite: Overwrite = False,
    root: Root = None,
    json: Json = False,
) -> None:
    """Describe a set: sizes, classes, labels, duplicates, notes of the reader."""
    from graphpool.data.catalogue import PAPER
    from graphpool.data.formats.safetensors import content_hash
    from graphpool.features import FeaturePipeline, features_line
    from graphpool.graphs.statistics import statistics

    _check_output("--html", html, overwrite)
    graphs = open_graphs(name, root)
    facts = statistics(graphs)
    lines = _describe(facts) + _notes(graphs.notes)
    differences = None
    if (printed := PAPER.get(graphs.name)) is not None:
        differences = printed.differences(
            facts.graphs, int(facts.nodes.max), facts.nodes.mean, len(facts.classes)
        )
        lines.append(f"the paper's table: {'; '.join(differences) or 'the same numbers'}")
    features = FeaturePipeline().fit(graphs).about()
    lines.append(features_line(features))
    about = {"features": features, "notes": graphs.notes, "content_hash": content_hash(graphs)}
    document = {**facts.to_dict(), **about, "differences_from_paper": differences}
    if html is not None:
        from graphpool.report import set_report, write

        command = _command("data show", name, {"--html": html})
        with path_option("--html"):
            write(set_report(graphs, facts, command), html)
        document["path"] = str(html)
        lines.append(f"A page about it: {html}")
    print_result(json, document, lines)


@data_app.command()
@with_columns("name")
def parts(
    name: SetName,
    units: Annotated[
        str,
        typer.Option(
            help="Which parts: recurring, auto (rings in sparse graphs, else modularity), rings or "
            "none (modularity)."
        ),
    ] = "recurring",
    graph: Annotated[
        list[str] | None,
        typer.Option(help="Id of a graph to look at, or '#NUMBER' from 0; may be repeated."),
    ] = None,
    draw: Annotated[
        Path | None,
        typer.Option(help="FILE.svg to draw these graphs into, 24 at most, or a few usual ones."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(help="FILE.html for a page, with recurring parts and these graphs drawn."),
    ] = None,
    overwrite: Overwrite = False,
    root: Root = None,
    json: Json = False,
) -> None:
    """Find what the graphs of a set are made of: parts that recur, by their labels.

    Learned without classes and targets, as the division of the graphs that takes the fewest bits.
    With --units auto, rings or none, parts are found in each graph by its edges alone.

    \b
    graphpool data parts MUTAG --graph 0 --graph 7 --units auto --draw parts.svg
    """
    from graphpool.config import MOST_HARD
    from graphpool.graphs import PlaceRule
    from graphpool.graphs.parts import RecurringParts
    from graphpool.report.draw.parted import usual_graphs
    from graphpool.report.parts_page import parts_document, parts_report
    from graphpool.report.parts_picture import MOST_GRAPHS, draw_parts, parts_of_graphs

    rule = (
        None if units == "recurring" else PlaceRule(units=cast(Any, units), steps=0, most=MOST_HARD)
    )
    if html is not None and rule is not None:
        raise ConfigError(f"--html shows recurring parts; use --draw FILE.svg for --units {units}")
    _check_output("--html", html, overwrite)
    _check_output("--draw", draw, overwrite)
    graphs = open_graphs(name, root)
    chosen = [graph_position(graphs, name, which) for which in graph or ()]
    chosen = list(dict.fromkeys(chosen))
    if draw is not None and len(chosen) > MOST_GRAPHS:
        raise ConfigError(
            f"--draw draws at most {MOST_GRAPHS} graphs, and {len(chosen)} are named; give fewer "
            "--graph ID, or draw several pictures"
        )
    positions = chosen
    if draw is not None and not positions:
        positions = usual_graphs(graphs).tolist()
        if not positions:
            raise DataError(f"{name} has no graph of usual size to draw; choose some by --graph")
    looked_at = graphs[positions]
    if rule is None:
        found = RecurringParts.fit(graphs)
        rule, looked_at = found.rule, found.attach(looked_at)
        document = parts_document(graphs, found)
        lines = _describe_parts(document)
    else:
        counts = graphs.places(rule).counts
        document = {
            "name": graphs.name, "units": units, "graphs": len(graphs), "nodes": graphs.num_nodes,
            "parts": int(counts.sum()), "most_parts": int(counts.max()),
        }  # fmt: skip
        lines = _describe_places(document)
    if positions:
        document["shown"] = parts_of_graphs(looked_at, rule)
        lines += ["", _graph_table(document["shown"])]
    if draw is not None:
        with path_option("--draw"):
            draw_parts(looked_at, rule, draw)
        document["drawn"] = str(draw)
        lines.append(f"\nA picture: {draw}")
    if html is not None:
        from graphpool.report import write

        command = _command("data parts", name, {"--graph": graph, "--draw": draw, "--html": html})
        with path_option("--html"):
            write(parts_report(graphs, found, command, chosen), html)
        document["path"] = str(html)
        lines.append(f"\nA page with pictures: {html}")
    print_result(json, document, lines)


@data_app.command("import")
@with_columns("source")
def import_set(
    source: Annotated[
        str,
        typer.Argument(help="A file or folder of graphs (docs/formats.md), or a set's name."),
    ],
    out: Annotated[Path, typer.Option(help="FILE.safetensors or FILE.jsonl to write.")],
    overwrite: Overwrite = False,
    root: Root = None,
    json: Json = False,
) -> None:
    """Read graphs in any known format, check them, and write them as one file.

    Lines that --skip-bad leaves out are listed in FILE.left-out.jsonl beside it.

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
    y                 the class, a word or a whole number; or what is to be
                      predicted, a number or a list of numbers
    targets           numbers to predict by their names; null is unknown
    columns           text by name, such as {"split": "train"}

    \b
    {"node_labels": ["C", "N"], "edges": [[0, 1]], "y": "toxic"}
    """
    from graphpool.data.formats import write_jsonl
    from graphpool.data.load import import_set as write_set
    from graphpool.data.load import load

    if out.suffix not in (".safetensors", ".jsonl"):
        hint = "end it with .safetensors or .jsonl"
        raise DataError.at(out, "can't write this format", hint=hint)
    check_free(out, overwrite, "--overwrite", "--out ")
    graphs: ChunkedSet | GraphSet
    with collect_bad_rows() as bad:
        if out.suffix == ".jsonl":
            graphs = load(source, root, features=None, cache=False)
            write_jsonl(graphs, out)
        else:
            graphs = write_set(source, out, root)
    if bad:
        write_bad_rows(out.with_suffix(".left-out.jsonl"), bad)
    document = {
        "path": str(out),
        "name": graphs.name,
        "graphs": len(graphs),
        "nodes": graphs.num_nodes,
        "classes": [str(name) for name in graphs.classes],
        "targets": list(graphs.target_names),
        "notes": list(graphs.notes),
    }
    size = f"{plural(len(graphs), 'graph')}, {plural(graphs.num_nodes, 'node')}"
    listed = [f"{out.with_suffix('.left-out.jsonl')}: {plural(len(bad), 'line')} left out"]
    lines = [f"{out}: {size}", *_notes(graphs.notes), *(listed if bad else [])]
    print_result(json, document, lines)


def _notes(notes: tuple[str, ...]) -> Lines:
    return [f"note: {note}" for note in notes]


def _check_output(option: str, path: Path | None, overwrite: bool) -> None:
    """Refuse a file that exists, and a name that says something else than what is written."""
    endings = {"--html": (".html", ".htm"), "--draw": (".svg",)}[option]
    if path is None:
        return
    if path.suffix.lower() not in endings:
        raise ConfigError(f"{option} {path}: end it with {endings[0]}")
    check_free(path, overwrite, "--overwrite", f"{option} ")


def _command(name: str, data: str, options: Mapping[str, Any]) -> str:
    """Return the command that makes a page, with the options that were given."""
    words = [quote(data)]
    for option, values in options.items():
        for value in values if isinstance(values, list) else [values] * (values is not None):
            words += [option, quote(str(value))]
    return f"graphpool {name} {' '.join(words)}"


def _describe_parts(document: dict[str, Any]) -> Lines:
    before, after = document["bits"]
    rows = [
        (f"{part['count']:,}", f"{100 * part['share_of_nodes']:.1f}", str(part["nodes"]),
         part["formula"], part["name"] if part["name"] != part["formula"] else "")
        for part in document["most_frequent"]
    ]  # fmt: skip
    each = document["parts"] / max(document["graphs"], 1)
    about = [
        (
            "parts",
            f"{document['parts']:,}, {each:.1f} per graph, of {plural(document['types'], 'kind')}",
        ),
        ("recurring", f"{percent(document['recurring_nodes'])} of the nodes are in such parts"),
        (
            "description",
            f"{before:,.0f} bits whole"
            + (f", {after:,.0f} with parts" if document["entries"] else ""),
        ),
        *(
            ("list" if not at else "", f"{entry['words']} ({entry['gain']:,.0f} bits)")
            for at, entry in enumerate(document["entries"])
        ),
    ]
    if not document["entries"]:
        about.append(("list", "empty, as no cut saves bits: parts are by rings and modularity"))
    columns = ("count", "% of nodes", "nodes", "formula", "part")
    return [
        f"{document['name']}: what {plural(document['graphs'], 'graph')} are made of\n",
        *aligned(about),
        "",
        Table(columns, rows, right=columns[:3]),
    ]


def _describe_places(document: dict[str, Any]) -> Lines:
    from graphpool.report.parts_picture import RULES

    each = document["parts"] / max(document["graphs"], 1)
    about = [
        ("parts", f"{document['parts']:,}, {each:.1f} per graph, at most {document['most_parts']}"),
        ("units", f"{document['units']}: {RULES[document['units']]}"),
    ]
    size = plural(document["graphs"], "graph")
    return [f"{document['name']}: what {size} are made of\n", *aligned(about)]


def _graph_table(shown: list[dict[str, Any]]) -> Table:
    columns = ("graph", "nodes", "edges", "parts", "cut edges")
    rows = [
        (each["graph"], each["nodes"], each["edges"], len(each["parts"]), each["cut_edges"])
        for each in shown
    ]
    return Table(columns, rows, right=columns[1:])


def _describe(facts: "Statistics") -> Lines:
    kind = f"{'directed' if facts.directed else 'undirected'}{', weighted' * facts.weighted}"
    rows = [
        (name, f"{part.min:g}", f"{part.mean:.2f}", f"{part.max:g}", f"{total:,}")
        for name, part, total in (
            ("nodes", facts.nodes, facts.total_nodes),
            ("edges", facts.edges, facts.total_edges),
        )
    ]
    density = facts.density
    rows.append(("density", f"{density.min:.3f}", f"{density.mean:.3f}", f"{density.max:.3f}", ""))
    columns = ("per graph", "least", "mean", "most", "in all")
    attributes = {
        "node": facts.node_attributes,
        "edge": facts.edge_attributes,
        "graph": facts.graph_attributes,
    }
    about = [
        ("classes", _counts(facts.classes)),
        *_targets(facts),
        ("node labels", _counts(facts.node_labels)),
        ("edge labels", _counts(facts.edge_labels)),
        (
            "attributes",
            ", ".join(f"{count} per {name}" for name, count in attributes.items() if count)
            or "none",
        ),
        ("connected", f"{facts.connected_graphs:,} of {plural(facts.graphs, 'graph')}"),
        ("isolated nodes", f"{facts.isolated_nodes:,}"),
        ("self-loops", f"{facts.self_loops:,}"),
        ("without edges", plural(facts.graphs_without_edges, "graph")),
    ]
    if (twins := facts.duplicates) is not None:
        how = "by 1-WL, with attributes" if twins.attributes else "by 1-WL"
        repeat = "graph repeats" if twins.repeated == 1 else "graphs repeat"
        about.append(
            ("duplicates", f"{twins.repeated:,} {repeat} an earlier one ({how}), "
             f"{plural(twins.distinct, 'distinct graph')}")
        )  # fmt: skip
        if twins.rounds is not None:
            about.append(
                ("", f"compared to a distance of {plural(twins.rounds, 'edge')} from every node")
            )
        if twins.mixed and twins.ceiling is not None:
            about.append(("", f"{twins.mixed} of them occur with different classes: 1-WL models "
                         f"can't pass {percent(twins.ceiling)}"))  # fmt: skip
    return [
        f"{facts.name}: {plural(facts.graphs, 'graph')}, {kind}\n",
        Table(columns, rows, right=columns[1:]),
        "",
        *aligned(about),
    ]


def _targets(facts: "Statistics") -> list[tuple[str, str]]:
    """Describe the numbers to predict, one line each."""
    lines: list[tuple[str, str]] = []
    for target in facts.targets[:MOST_LABELS]:
        if target.mean is None or target.std is None:
            text = "known of no graph"
        else:
            text = f"{target.mean:.4g} ± {target.std:.4g}, {target.min:.4g} to {target.max:.4g}"
            if target.missing:
                text += f", unknown for {plural(target.missing, 'graph')}"
        lines.append(("targets" if not lines else "", f"{target.name}: {text}"))
    if len(facts.targets) > MOST_LABELS:
        lines.append(("", f"… {len(facts.targets)} in all"))
    return lines


def _counts(values: tuple[tuple[Any, int], ...]) -> str:
    shown = ", ".join(f"{name} ({count:,})" for name, count in values[:MOST_LABELS])
    more = f", … {len(values)} in all" if len(values) > MOST_LABELS else ""
    return f"{shown}{more}" if values else "none"
