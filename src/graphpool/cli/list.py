"""`graphpool list`: all settings, and every name that a setting can have, with its meaning."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from graphpool.cli.output import Json, print_json, print_line, print_table
from graphpool.config import RunConfig, Setting, settings_in
from graphpool.config.run import LOSS_PANEL
from graphpool.errors import ConfigError, nearest

ANSWERS = {"exact": "the distance", "upper": "an edit path", "lower": "a lower bound"}


def list_methods(
    what: Annotated[
        str | None,
        typer.Argument(
            help="One list alone: methods, poolers, settings, features, losses, ged, or the "
            "choices of a setting, such as encoders.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List methods, settings and their choices, node features and edit distances."""
    if what is None:
        _list_all(json)
        return
    lists: dict[str, Callable[[bool], None]] = {
        "methods": lambda json: _print_one("methods", _methods(), _print_methods, json),
        "poolers": _list_poolers,
        "settings": lambda json: _print_one("settings", _settings(), _print_settings, json),
        "features": lambda json: _print_names("features", _features(), json),
        "losses": lambda json: _print_names("loss", _losses(), json),
        "ged": lambda json: _print_one("ged", _distances(), _print_distances, json),
    }
    choices = _choices()
    singular = what.removesuffix("s")
    if what in lists:
        lists[what](json)
    elif (name := what if what in choices else singular) in choices:
        _print_names(name, choices[name], json)
    else:
        raise ConfigError(f"there is no list {what!r}; {nearest(what, [*lists, *choices])}")


def _list_all(json: bool) -> None:
    methods, choices, distances = _methods(), _choices(), _distances()
    losses, features = _losses(), _features()
    if json:
        print_json(
            {"methods": methods, **choices, "loss": losses, "features": features, "ged": distances}
        )
        return
    _print_methods(methods)
    print_line(
        "\nwl and majority are for graphpool evaluate; the others train as well, those of the "
        "family pair with --task matching or similarity."
    )
    print_line("graphpool list poolers adds what each keeps and what it costs.\n")
    for name, texts in choices.items():
        print_table((name, ""), texts.items())
        print_line()
    print_line(
        "cluster_count is for assignments by places, unless --clusters gives the number; distance "
        "and score are for --task matching and similarity."
    )
    print_line("graphpool list settings explains every setting.\n")
    print_table(("loss", ""), losses.items())
    print_line("\nA loss is added with its weight, such as --set model.cut_loss=0.1.\n")
    print_table(("features", ""), features.items())
    print_line("\nFeatures are joined with +, such as labels+rw:8.\n")
    _print_distances(distances)


def _print_one(name: str, content: Any, print_text: Callable[[Any], None], json: bool) -> None:
    if json:
        print_json({name: content})
    else:
        print_text(content)


def _print_names(name: str, texts: dict[str, str], json: bool) -> None:
    _print_one(name, texts, lambda content: print_table((name, ""), content.items()), json)


def _methods() -> list[dict[str, Any]]:
    """Networks by name, networks for pairs, and baselines."""
    from graphpool.nn.zoo import list_networks
    from graphpool.tasks import ClassificationTask

    return [
        *list_networks(),
        *(
            {
                "name": name,
                "family": item.kind,
                "paper": "-",
                "year": None,
                "summary": item.summary,
            }
            for name, item in ClassificationTask.baselines().items()
        ),
    ]


def _choices() -> dict[str, dict[str, str]]:
    """Every setting with a fixed set of names, and the meaning of each."""
    return {item.name: dict(item.choices) for item in settings_in(RunConfig) if item.choices}


def _losses() -> dict[str, str]:
    """Auxiliary losses of an assignment."""
    known = settings_in(RunConfig)
    return {item.name: item.help for item in known if item.panel == LOSS_PANEL}


def _features() -> dict[str, str]:
    from graphpool.features import KINDS

    return {
        "auto": "labels where the graphs have them, else degree",
        **{name: kind.summary for name, kind in KINDS.items()},
    }


def _distances() -> dict[str, dict[str, str]]:
    from graphpool.ged.methods.registry import METHODS

    return {name: {"answer": item.answer, "summary": item.about} for name, item in METHODS.items()}


def _settings() -> list[dict[str, Any]]:
    return [
        {
            "key": item.key,
            "default": item.default,
            "allowed": _allowed(item),
            "option": item.option,
            "tasks": list(item.tasks),
            "help": item.help,
        }
        for item in settings_in(RunConfig)
    ]


def _allowed(item: Setting) -> str:
    """Names or range of the values."""
    return ", ".join(item.choices) or item.range_text


def _print_methods(methods: Sequence[dict[str, Any]]) -> None:
    print_table(
        ("method", "family", "paper", ""),
        [(row["name"], row["family"], _source(row), row["summary"]) for row in methods],
    )


def _print_settings(settings: Sequence[dict[str, Any]]) -> None:
    print_table(
        ("setting", "default", "allowed", "option", ""),
        [
            (row["key"], _text(row["default"]), row["allowed"], row["option"], row["help"])
            for row in settings
        ],
    )
    print_line("\nAny setting is given with --set KEY=VALUE or in a file with --config.")
    print_line("Defaults are those of classification; --task matching and similarity have others.")


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(str(item) for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _print_distances(distances: dict[str, dict[str, str]]) -> None:
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
    print_line(
        "\nParameters are those of one pooling module with 64 channels and 8 clusters; cost is "
        "what time and memory grow with."
    )
    print_line(
        "Those of the family pair are whole networks that compare two graphs: --task matching or "
        "similarity."
    )
    print_line("docs/poolers.md has the formulas, and how to register your own.")


def _source(row: dict[str, Any]) -> str:
    """`Ying et al. 2018`."""
    return row["paper"] if row["year"] is None else f"{row['paper']} {row['year']}"
