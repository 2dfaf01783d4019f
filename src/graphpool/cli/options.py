"""From a config file, options and `--set` to one checked `RunConfig`."""

import tomllib
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from graphpool.config import RunConfig, Task, defaults_for, from_dict, read_toml, to_dict
from graphpool.errors import ConfigError, nearest

_MODEL, _TRAINING, _COMPARING = "Model", "Training", "Comparing graphs"
CLASSIFICATION = "classification"
# Settings of one task alone, by the option that gives them.
_OF_TASK = {
    "--distance": ("model.distance", ("matching", "similarity")),
    "--score": ("model.score", ("matching", "similarity")),
    "--examples": ("compare.examples", ("matching", "similarity")),
    "--pairs": ("compare.pairs", ("matching",)),
    "--distances": ("compare.distances", ("similarity",)),
    "--split": ("compare.split", ("similarity",)),
}


# Arguments of commands that are settings, by what they are called there.
_KEYS = {
    "task": "task",
    "features": "features",
    "pooler": "model.pooler",
    "encoder": "model.encoder",
    "hidden": "model.hidden_channels",
    "layers": "model.layers",
    "clusters": "model.clusters",
    "assignment": "model.assignment",
    "connect": "model.connect",
    "count": "model.count",
    "resolution": "model.resolution",
    "dropout": "model.dropout",
    "distance": "model.distance",
    "score": "model.score",
    "examples": "compare.examples",
    "pairs": "compare.pairs",
    "distances": "compare.distances",
    "split": "compare.split",
    "epochs": "train.epochs",
    "batch_size": "train.batch_size",
    "learning_rate": "train.learning_rate",
    "patience": "train.patience",
    "seed": "train.seed",
    "device": "train.device",
    "threads": "train.threads",
}


def option(text: str, panel: str, *names: str) -> Any:
    """An option whose default stands in the config."""
    return typer.Option(*names, help=text, rich_help_panel=panel, show_default=False)


Encoder = Annotated[str | None, option("gcn, gat, gin or graphconv.", _MODEL)]
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
BatchSize = Annotated[int | None, option("Graphs, pairs or triplets per step.", _TRAINING)]
LearningRate = Annotated[float | None, option("Learning rate of Adam.", _TRAINING)]
Patience = Annotated[
    int | None, option("Stop after so many epochs that are no better; 0 never.", _TRAINING)
]
Device = Annotated[str | None, option("cpu, cuda, cuda:1, mps.", _TRAINING)]
Threads = Annotated[int | None, option("Threads of torch; 0 chooses by size of batch.", _TRAINING)]
TaskName = Annotated[
    str | None,
    typer.Option(
        "--task",
        help="classification, matching (do two graphs match?) or similarity (which of two is "
        "nearer?).",
        show_default=False,
    ),
]
Distance = Annotated[
    str | None, option("HAP's distance of graphs: aligned, nodes, sorted, euclidean.", _COMPARING)
]
Score = Annotated[str | None, option("From distance to score: learned or exp.", _COMPARING)]
Examples = Annotated[int | None, option("Pairs or triplets to train on.", _COMPARING)]
PairsFile = Annotated[
    Path | None, option("CSV of left, right, match, for graphs of your own.", _COMPARING, "--pairs")
]
DistancesFile = Annotated[
    Path | None,
    option("Of graphpool ged matrix; else published or exact ones.", _COMPARING, "--distances"),
]
SplitKind = Annotated[
    str | None,
    option("Graphs are split as published, at random (graphs), or by classes.", _COMPARING,
           "--split"),
]  # fmt: skip
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="Settings in TOML; options here override it.")
]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any setting, such as model.norm=batch."),
]


def given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Of the arguments of a command (its `locals()`) those that are settings, by dotted key."""
    found = {key: arguments[name] for name, key in _KEYS.items() if name in arguments}
    found["model.clusters"] = counts(found["model.clusters"])
    for key in ("compare.pairs", "compare.distances"):
        found[key] = absolute(found[key])
    return found


def settings(
    base: Path | None, options: Mapping[str, Any], assignments: Sequence[str] | None = None
) -> RunConfig:
    """Merge and check settings; later sources override earlier ones.

    What no source says is as `graphpool.config.defaults_for` has it for the task.

    Args:
        base: config file, if any.
        options: by dotted key, such as `model.encoder`; None means not given.
        assignments: of the form `train.clip=1.0`.
    """
    values = _begin(base, options.get("task") or _assigned_task(assignments))
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


def check_task(task: str, options: Mapping[str, Any], poolers: Sequence[str]) -> None:
    """Refuse options that the task, or all of the poolers, have no use for.

    Args:
        options: by dotted key, as in `settings`.
    """
    for name, (key, tasks) in _OF_TASK.items():
        if options.get(key) is not None and task not in tasks:
            raise ConfigError(
                f"{name} is for --task {' and '.join(tasks)}, not for {task}; leave it out"
            )
    if options.get("model.distance") is not None:
        from graphpool.nn.zoo.pairs import BY_NODES

        if not set(poolers) & set(BY_NODES):
            raise ConfigError(
                f"--distance is for {' and '.join(BY_NODES)}, which compare nodes; "
                f"{', '.join(poolers)} has its own: leave it out"
            )


def absolute(path: Path | None) -> str | None:
    """A file is remembered by its full path, so that a run finds it from anywhere."""
    return None if path is None else str(path.absolute())


def check_names(config: RunConfig) -> None:
    """Refuse a misspelt pooler, feature or device, and nothing to choose, before data is read."""
    from graphpool.experiments.methods import EVALUATED
    from graphpool.features.pipeline import FeaturePipeline
    from graphpool.nn.zoo.build import METHODS
    from graphpool.nn.zoo.pairs import PAIR_METHODS
    from graphpool.training.device import find_device
    from graphpool.training.select_place_rule import VALIDATION, check_choice

    find_device(config.train.device)
    FeaturePipeline(config.features)
    pooler, comparing = config.model.pooler, config.task != CLASSIFICATION
    if pooler in EVALUATED and pooler not in METHODS:
        raise ConfigError(
            f"{pooler} is a baseline of graphpool evaluate (--methods {pooler}) and can't be "
            "trained by itself; graphpool list names the poolers"
        )
    if pooler in PAIR_METHODS and not comparing:
        raise ConfigError(
            f"{pooler} is a network for pairs of graphs; train it with --task matching or "
            "--task similarity"
        )
    known = [*METHODS, *(PAIR_METHODS if comparing else ())]
    if pooler not in known:
        raise ConfigError(f"unknown pooler {pooler!r}; {nearest(pooler, known)}")
    if not comparing:
        check_choice(config.model)
    elif config.model.count == VALIDATION:
        raise ConfigError(
            "model.count 'validation' is for classification; choose 'modularity' or 'eigengap'"
        )


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


def _begin(base: Path | None, task: str | None) -> dict[str, Any]:
    """What options are put upon: the settings of a file over those that the task begins with."""
    written: dict[str, Any] = {}
    if base is not None:
        read_toml(RunConfig, base)  # checks every key and value
        written = tomllib.loads(base.read_text(encoding="utf-8"))
    task = task or written.get("task", CLASSIFICATION)
    if task not in (tasks := typing.get_args(Task)):
        raise ConfigError(f"there is no task {task!r}; {nearest(str(task), tasks)}")
    return _merged(to_dict(defaults_for(typing.cast(Task, task))), {**written, "task": task})


def _assigned_task(assignments: Sequence[str] | None) -> str | None:
    """The task that `--set task=NAME` names."""
    said = [text.partition("=") for text in assignments or ()]
    return next((str(_value(text.strip())) for key, _, text in said if key.strip() == "task"), None)


def _merged(values: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with others written over them, section by section."""
    return {
        **values,
        **{
            key: _merged(values[key], value) if isinstance(value, dict) else value
            for key, value in over.items()
        },
    }


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
