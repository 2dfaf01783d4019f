"""From a config file, options and `--set` to one checked `RunConfig`."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from graphpool.config import RunConfig, from_dict, read_toml, to_dict
from graphpool.errors import ConfigError, nearest

_MODEL, _TRAINING = "Model", "Training"


def option(text: str, panel: str, *names: str) -> Any:
    """An option whose default stands in the config."""
    return typer.Option(*names, help=text, rich_help_panel=panel, show_default=False)


Encoder = Annotated[str | None, option("gcn, gat or gin.", _MODEL)]
Hidden = Annotated[int | None, option("Width of every layer.", _MODEL, "--hidden")]
Layers = Annotated[int | None, option("Encoder layers before each coarsening.", _MODEL)]
Clusters = Annotated[
    str | None,
    option("Clusters of each level, such as 8,1; else a graph's places, then 1.", _MODEL),
]
Assignment = Annotated[
    str | None, option("How nodes get clusters: places, places-only, content, static.", _MODEL)
]
Connect = Annotated[
    str | None, option("Edges between clusters: offdiagonal, gumbel, plain …", _MODEL)
]
Count = Annotated[
    str | None,
    option("How the number of places is found: modularity, eigengap, validation.", _MODEL),
]
Resolution = Annotated[float | None, option("How fine places are; 1.5 by default.", _MODEL)]
Dropout = Annotated[float | None, option("Dropout, in [0, 1).", _MODEL)]
Features = Annotated[str | None, option("Node features, such as labels+rw:8.", _MODEL)]
Epochs = Annotated[int | None, option("Most epochs to train.", _TRAINING)]
BatchSize = Annotated[int | None, option("Graphs per step.", _TRAINING)]
LearningRate = Annotated[float | None, option("Learning rate of Adam.", _TRAINING)]
Patience = Annotated[
    int | None, option("Stop after so many epochs that are no better; 0 never.", _TRAINING)
]
Device = Annotated[str | None, option("cpu, cuda, cuda:1, mps.", _TRAINING)]
Threads = Annotated[int | None, option("Threads of torch; 0 chooses by size of batch.", _TRAINING)]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="Settings in TOML; options here override it.")
]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any setting, such as model.norm=batch."),
]


def settings(
    base: Path | None, options: Mapping[str, Any], assignments: Sequence[str] | None = None
) -> RunConfig:
    """Merge and check settings; later sources override earlier ones.

    Args:
        base: config file, if any.
        options: by dotted key, such as `model.encoder`; None means not given.
        assignments: of the form `train.clip=1.0`.
    """
    values = to_dict(RunConfig() if base is None else read_toml(RunConfig, base))
    for key, value in options.items():
        if value is not None:
            _put(values, key, value)
    for text in assignments or ():
        key, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"--set {text}: write it as KEY=VALUE, such as model.norm=batch")
        known = _keys(values)
        if key.strip() not in known:
            raise ConfigError(f"--set {text}: unknown key {key.strip()!r}; {nearest(key, known)}")
        _put(values, key.strip(), _value(value.strip()))
    return from_dict(RunConfig, values)


def check_names(config: RunConfig) -> None:
    """Refuse a misspelt pooler, feature or device, and nothing to choose, before data is read."""
    from graphpool.evaluation.methods import EVALUATED
    from graphpool.features.pipeline import FeaturePipeline
    from graphpool.nn.build import METHODS
    from graphpool.training.choose_places import check_choice
    from graphpool.training.setup import find_device

    find_device(config.train.device)
    FeaturePipeline(config.features)
    pooler = config.model.pooler
    if pooler in EVALUATED and pooler not in METHODS:
        raise ConfigError(
            f"{pooler} is a baseline of graphpool evaluate (--methods {pooler}) and can't be "
            "trained by itself; graphpool list names the poolers"
        )
    if pooler not in METHODS:
        raise ConfigError(f"unknown pooler {pooler!r}; {nearest(pooler, METHODS)}")
    check_choice(config.model)


def counts(text: str | None) -> list[int] | None:
    """`8,1` as numbers."""
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError(
            f"--clusters {text}: give whole numbers, one for each level, such as 8,1"
        ) from None


def words(text: str) -> list[str]:
    """`a,b` as words."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _keys(values: Mapping[str, Any], prefix: str = "") -> list[str]:
    """All settings by their dotted keys."""
    keys = []
    for key, value in values.items():
        keys += _keys(value, f"{prefix}{key}.") if isinstance(value, dict) else [f"{prefix}{key}"]
    return keys


def _put(values: dict[str, Any], key: str, value: Any) -> None:
    *sections, last = key.split(".")
    for section in sections:
        values = values[section]
    values[last] = value


def _value(text: str) -> Any:
    """A TOML value; anything else is a word, so that quotes can be left out."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
