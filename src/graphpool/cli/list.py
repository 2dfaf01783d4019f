"""`graphpool list`: every name that a setting can have, and what it means."""

import typing
from typing import Annotated, Any, Literal

import typer

from graphpool.cli.output import Json, print_json, print_table, say
from graphpool.config import ModelConfig

ENCODERS = {
    "gcn": "graph convolution (Kipf & Welling 2017)",
    "gat": "graph attention, several heads (Veličković et al. 2018)",
    "gin": "graph isomorphism network (Xu et al. 2019)",
    "graphconv": "sum over neighbours and the node itself, each with its weights (Morris et al. "
    "2019)",
}
OPTIONS: dict[str, dict[str, str]] = {
    "assignment": {
        "default": "what the pooler stands for: places for hap, static for hap-paper",
        "places": "clusters are places, parts of the graph dense in edges; content has its say",
        "places-only": "the same without content: the edges alone say where a node belongs",
        "content": "standardised dot product of a node's row with the cluster's column",
        "static": "the paper's additive attention; every node gets nearly the same clusters",
    },
    "relaxation": {
        "gram": "a column becomes its products with all columns; permutation invariant",
        "sort": "its largest values; permutation invariant",
        "truncate": "its first entries; depends on the order of the nodes",
        "tile": "what the authors' code does; depends on the order of the nodes",
    },
    "connect": {
        "default": "what the pooler stands for: offdiagonal for hap, gumbel for hap-paper",
        "offdiagonal": "zero diagonal, then symmetric normalisation",
        "gumbel": "the paper's soft sampling; nearly the identity",
        "offdiagonal-gumbel": "zero diagonal, then soft sampling",
        "plain": "the coarse adjacency as it is",
    },
    "count": {
        "modularity": "as many places as modularity finds at model.resolution, graph by graph",
        "eigengap": "where the spectrum of the graph has its largest gap",
        "validation": "modularity from coarse to fine and eigengap, each tried for a fifth of the "
        "epochs; validation graphs choose",
    },
    "distance": {
        "aligned": "nodes or clusters of a level, each softly matched to one of the other graph: "
        "what is left to move, and which edges are left over",
        "nodes": "the same without the edges, for graphs that differ in size",
        "sorted": "nodes or clusters of a level, sorted channel by channel and compared by rank",
        "euclidean": "the paper's: between the vectors that are read out of a level",
    },
    "score": {
        "learned": "a learned logistic curve over the logarithm of the distance",
        "exp": "the paper's exp(-distance / 2)",
    },
}

LOSSES = {
    "cut": "few edges between clusters (Bianchi et al. 2020)",
    "balance": "clusters of one size",
    "orthogonality": "clusters of one size that don't overlap (Bianchi et al. 2020)",
}

ANSWERS = {"exact": "the distance", "upper": "an edit path", "lower": "a lower bound"}


def list_methods(
    what: Annotated[
        Literal["poolers"] | None,
        typer.Argument(help="poolers: more about those alone.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """List poolers and baselines, encoders, options of HAP, node features, edit distances."""
    if what == "poolers":
        _list_poolers(json)
        return
    from graphpool.experiments.methods import EVALUATED
    from graphpool.features.registry import KINDS
    from graphpool.ged.methods.registry import METHODS as DISTANCES
    from graphpool.nn.zoo import METHODS, list_networks

    methods: list[dict[str, Any]] = [
        *list_networks(),
        *(
            {
                "name": name,
                "family": item.family,
                "paper": "-",
                "year": None,
                "summary": item.summary,
            }
            for name, item in EVALUATED.items()
            if name not in METHODS
        ),
    ]
    features = {
        "auto": "labels where the graphs have them, else degree",
        **{name: kind.summary for name, kind in KINDS.items()},
    }
    known = {"encoder": _known("encoder", ENCODERS)}
    known |= {name: _known(name, texts) for name, texts in OPTIONS.items()}
    distances = {
        name: {"answer": item.answer, "summary": item.about} for name, item in DISTANCES.items()
    }
    if json:
        print_json(
            {"methods": methods, **known, "loss": LOSSES, "features": features, "ged": distances}
        )
        return
    print_table(
        ("method", "family", "paper", ""),
        [(row["name"], row["family"], _source(row), row["summary"]) for row in methods],
    )
    say("\nwl and majority are for graphpool evaluate; the others train as well, those of the "
        "family pair with --task matching or similarity.")  # fmt: skip
    say("graphpool list poolers says what each keeps and what it costs.\n")
    for name, texts in known.items():
        print_table((name, ""), texts.items())
        say()
    say("count is for assignments by places, unless --clusters gives the number; distance and "
        "score are for --task matching and similarity.\n")  # fmt: skip
    print_table(("loss", ""), LOSSES.items())
    say("\nA loss is added with its weight, such as --set model.cut=0.1.\n")
    print_table(("features", ""), features.items())
    say("\nFeatures are joined with +, such as labels+rw:8.\n")
    print_table(
        ("graphpool ged", "answers", ""),
        [(name, ANSWERS[row["answer"]], row["summary"]) for name, row in distances.items()],
    )


def _list_poolers(json: bool) -> None:
    """Every pooler with its paper, size, cost, and what it keeps."""
    from graphpool.nn.zoo import count_parameters, list_networks

    rows = [{**row, "parameters": count_parameters(row["name"])} for row in list_networks()]
    if json:
        print_json({"poolers": rows})
        return
    columns = ("pooler", "family", "paper", "year", "parameters", "cost", "keeps")
    print_table(
        columns,
        [[row.get(key, row["name"]) for key in columns] for row in rows],
        right=("parameters",),
    )
    say("\nParameters are those of one pooling module with 64 channels and 8 clusters; cost is "
        "what time and memory grow with.")  # fmt: skip
    say("Those of the family pair are whole networks that compare two graphs: --task matching or "
        "similarity.")  # fmt: skip
    say("docs/poolers.md has the formulas, and how to register your own.")


def _source(row: dict[str, Any]) -> str:
    """`Ying et al. 2018`."""
    return row["paper"] if row["year"] is None else f"{row['paper']} {row['year']}"


def _known(name: str, texts: dict[str, str]) -> dict[str, str]:
    """The values that the config allows, with what we have to say of them."""
    hint = typing.get_type_hints(ModelConfig)[name]
    return {value: texts.get(value, "") for value in typing.get_args(hint)}
