"""`graphpool list`: all settings, and every name that a setting can have, with its meaning."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Any

import typer

from graphpool.cli.options import Json
from graphpool.cli.output import print_result
from graphpool.config import RunConfig, settings_in
from graphpool.config.model import LOSS_PANEL
from graphpool.config.split_spec import SPLITS
from graphpool.errors import ConfigError, nearest
from graphpool.evaluation.format import Lines, Table

ANSWERS = {"exact": "the distance", "upper": "an edit path", "lower": "a lower bound"}

_CHOICES = [item for item in settings_in(RunConfig) if item.choices]


def list_methods(
    what: Annotated[
        str | None,
        typer.Argument(
            help="One list alone: methods, poolers, settings, features, auxiliary_losses, "
            "ged, or the choices of a setting, such as encoders.",
            show_default=False,
            autocompletion=lambda: [*_LISTS, *(item.name for item in _CHOICES)],
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List methods, settings and their choices, node features and edit distances."""
    choices = {item.name: dict(item.choices) for item in _CHOICES}
    choices["split"] = _splits(choices["split"])
    if what is None:
        contents = {"methods": _methods(), **choices, "auxiliary_losses": _losses(),
                    "features": _features(), "ged": _distances()}  # fmt: skip
        print_result(json, contents, _all_lines(contents, choices))
        return
    name = _find(what, [*_LISTS, *choices])
    if name in _LISTS:
        key, make, lines = _LISTS[name]
        content = make()
        print_result(json, {key: content}, lines(content))
    else:
        print_result(json, {name: choices[name]}, _name_lines(name, choices[name]))


def _find(what: str, known: list[str]) -> str:
    """Return the list that is asked for, by its name in the singular or the plural."""
    word = what.lower().replace("-", "_")
    for name in known:
        if word in (name, f"{name}s", f"{name}es", name.removesuffix("s"), name.removesuffix("es")):
            return name
    if word.rstrip("s") in ("set", "dataset", "data"):
        raise ConfigError("sets of graphs are listed by: graphpool data list")
    raise ConfigError(f"there is no list {what!r}; {nearest(what, known)}")


def _all_lines(contents: dict[str, Any], choices: Iterable[str]) -> Lines:
    lines: Lines = [
        *_method_lines(contents["methods"]),
        "\nwl and majority are for graphpool evaluate; the others train as well, those of the "
        "family pair with --task matching or similarity.",
        "graphpool list poolers adds what each keeps and what it costs.\n",
    ]
    for name in choices:
        lines += [*_name_lines(name, contents[name]), ""]
    return [
        *lines,
        "cluster_count is for assignments by places, unless --clusters gives the number; distance "
        "and score are for --task matching and similarity.",
        "graphpool list settings explains every setting.\n",
        *_name_lines("auxiliary loss", contents["auxiliary_losses"]),
        "\nA loss is added with its weight, such as --set model.cut_loss=0.1.\n",
        *_name_lines("features", contents["features"]),
        "\nFeatures are joined with +, such as labels+rw:8.\n",
        *_distance_lines(contents["ged"]),
    ]


def _name_lines(name: str, texts: dict[str, str]) -> Lines:
    return [Table((name, ""), list(texts.items()))]


def _methods() -> list[dict[str, Any]]:
    """Networks by name, networks for pairs, and baselines."""
    from graphpool.nn.zoo import list_networks
    from graphpool.tasks import TASKS

    # Of tasks over single graphs; one name may stand for a baseline of each.
    known = {
        name: item
        for task in reversed(TASKS.values())
        if task.takes == "graphs"
        for name, item in task.baselines().items()
    }
    baselines = [
        {"name": name, "family": item.kind, "paper": "-", "year": None, "summary": item.summary}
        for name, item in known.items()
    ]
    return [*list_networks(), *baselines]


def _method_lines(methods: list[dict[str, Any]]) -> Lines:
    rows = []
    for row in methods:
        source = row["paper"] if row["year"] is None else f"{row['paper']} {row['year']}"
        rows.append((row["name"], row["family"], source, row["summary"]))
    return [Table(("method", "family", "paper", ""), rows)]


def _poolers() -> list[dict[str, Any]]:
    """Every pooler with its paper, size, cost, and what it keeps."""
    from graphpool.nn.zoo import count_parameters, list_networks

    return [{**row, "parameters": count_parameters(row["name"])} for row in list_networks()]


def _pooler_lines(poolers: list[dict[str, Any]]) -> Lines:
    columns = ("pooler", "family", "paper", "year", "parameters", "cost", "keeps")
    rows = [[row.get(key, row["name"]) for key in columns] for row in poolers]
    return [
        Table(columns, rows, right=("parameters",)),
        "\nParameters are those of one pooling module with 64 channels and 8 clusters; cost is "
        "what time and memory grow with.",
        "Those of the family pair are whole networks that compare two graphs: --task matching or "
        "similarity.",
        "docs/poolers.md has the formulas, and how to register your own.",
    ]


def _settings() -> list[dict[str, Any]]:
    return [
        {
            "key": item.key,
            "default": item.default,
            "allowed": item.allowed,
            "option": item.option,
            "tasks": list(item.tasks),
            "help": item.help,
        }
        for item in settings_in(RunConfig)
    ]


def _setting_lines(settings: list[dict[str, Any]]) -> Lines:
    rows = [
        (row["key"], _text(row["default"]), row["allowed"], row["option"], row["help"])
        for row in settings
    ]
    return [
        Table(("setting", "default", "allowed", "option", ""), rows),
        "\nAny setting is given with --set KEY=VALUE or in a file with --config.",
        "Defaults are those of classification; other tasks have some of their own.",
    ]


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(str(item) for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _splits(of_triplets: dict[str, str]) -> dict[str, str]:
    """Every split, and those of triplets."""
    return {
        **SPLITS,
        **{
            name: f"with --task similarity: {text}"
            for name, text in of_triplets.items()
            if name not in SPLITS
        },
    }


def _losses() -> dict[str, str]:
    """Auxiliary losses of an assignment."""
    return {item.name: item.help for item in settings_in(RunConfig) if item.panel == LOSS_PANEL}


def _features() -> dict[str, str]:
    from graphpool.features import KINDS

    return {
        "auto": "labels, attributes and x where the graphs have them, else degree; those of edges "
        "for encoders that use them",
        **{name: kind.summary for name, kind in KINDS.items()},
    }


def _distances() -> dict[str, dict[str, str]]:
    from graphpool.ged.methods.registry import METHODS

    return {name: {"answer": item.answer, "summary": item.about} for name, item in METHODS.items()}


def _distance_lines(distances: dict[str, dict[str, str]]) -> Lines:
    rows = [(name, ANSWERS[row["answer"]], row["summary"]) for name, row in distances.items()]
    return [Table(("graphpool ged", "answers", ""), rows)]


# Name in the JSON document, content and lines of each list that is not of a setting's choices.
_LISTS: dict[str, tuple[str, Callable[[], Any], Callable[[Any], Lines]]] = {
    "methods": ("methods", _methods, _method_lines),
    "networks": ("methods", _methods, _method_lines),
    "poolers": ("poolers", _poolers, _pooler_lines),
    "settings": ("settings", _settings, _setting_lines),
    "features": ("features", _features, partial(_name_lines, "features")),
    "auxiliary_losses": (
        "auxiliary_losses",
        _losses,
        partial(_name_lines, "auxiliary loss"),
    ),
    "ged": ("ged", _distances, _distance_lines),
}
