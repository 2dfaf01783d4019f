"""Command-line options made from the config, and one checked `RunConfig` from all sources."""

import functools
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from graphpool.config import (
    RunConfig,
    Setting,
    Task,
    defaults_for,
    from_dict,
    renamed_hint,
    settings_in,
    to_dict,
    toml_values,
)
from graphpool.config.split_spec import parse_split
from graphpool.data.paths import exists
from graphpool.documents import parse_toml
from graphpool.errors import ConfigError, nearest

_PANELS = {"model": "Model", "train": "Training", "compare": "Comparing graphs"}
_SETTINGS = settings_in(RunConfig)
_OF_PLACES = ("model.cluster_count", "model.resolution", "model.units")
_SPLITS = next(item.choices for item in _SETTINGS if item.key == "compare.split")

# Settings given as options, by dotted key; None means not given. `with_settings` fills it.
Given = Mapping[str, Any]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="Settings in TOML; options here override it.")
]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any setting, such as model.norm=batch."),
]
Root = Annotated[
    Path | None,
    typer.Option(
        "--data-root", help="Folder of data files; by default GRAPHPOOL_DATA, else ./data."
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout, nothing else.")
]
SetName = Annotated[str, typer.Argument(help="A set's name, or a file or folder of graphs.")]
Device = Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Processes; by default one per core.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the file.")]


def command_group(about: str) -> typer.Typer:
    """Return an empty group of commands, such as `graphpool data`."""
    return typer.Typer(
        help=about, no_args_is_help=True, rich_markup_mode="rich", pretty_exceptions_enable=False
    )


def with_settings(
    *, without: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for every setting that has one.

    The options take the place of the command's argument `given`, which gets their values by
    dotted key.

    Args:
        without: keys of settings that the command has no option for.
    """
    chosen = {
        item.key.replace(".", "_"): item
        for item in _SETTINGS
        if item.option is not None and item.key not in without
    }

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**arguments: Any) -> None:
            given = {item.key: _parsed(item, arguments.pop(name)) for name, item in chosen.items()}
            command(**arguments, given=given)

        # Typer reads the signature for the order and the annotations for the types.
        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(command).parameters.values():
            if parameter.name == "given":
                parameters += [_parameter(name, item) for name, item in chosen.items()]
            else:
                parameters.append(parameter)
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {item.name: item.annotation for item in parameters}
        return run

    return decorate


def _parameter(name: str, item: Setting) -> inspect.Parameter:
    """The argument of a command for one setting; its default is in the config."""
    assert item.option is not None
    names = [item.option]
    if item.type is bool:
        names = [f"{item.option}/--no-{item.option.removeprefix('--')}"]
    panel = _PANELS.get(item.section) if item.panel is None else item.panel or None
    about = typer.Option(
        *names,
        help=item.sentence,
        rich_help_panel=panel,
        show_default=False,
        autocompletion=lambda: _names(item),
    )
    kind = Path if item.file else item.type if item.type in (int, float, bool) else str
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, about],
    )


def _names(item: Setting) -> list[str]:
    """Names that a shell can offer for an option."""
    if item.key == "model.pooler":
        from graphpool.nn.zoo import list_networks

        return [row["name"] for row in list_networks()]
    return list(dict(item.choices))


def _parsed(item: Setting, value: Any) -> Any:
    """The value of an option as the config takes it."""
    if value is None or typing.get_origin(item.type) is not tuple:
        return absolute(value) if item.file else value
    (kind, _) = typing.get_args(item.type)
    if kind is not int:
        return words(value)
    try:
        return [int(part) for part in value.split(",")]
    except ValueError:
        raise ConfigError(
            f"{item.option} {value}: give whole numbers, one for each level, such as 8,1"
        ) from None


def settings(
    base: Path | None,
    options: Given,
    assignments: Sequence[str] | None = None,
    *,
    written_by_us: bool = False,
) -> RunConfig:
    """Merge and check settings; later sources override earlier ones.

    What no source gives is as `graphpool.config.defaults_for` has it for the task.

    Args:
        base: config file, if any.
        options: by dotted key, such as `model.encoder`; None means not given.
        assignments: of the form `train.clip_norm=1.0`.
        written_by_us: the file is that of a run folder, which may be of an older version.
    """
    given = {key: value for key, value in options.items() if value is not None}
    given |= dict(_assignment(text) for text in assignments or ())
    values = _begin(base, given.get("task"), written_by_us)
    if (split := given.get("split")) is not None:
        # With similarity the same option takes three words of its own.
        if values["task"] == "similarity" and split in _SPLITS:
            given |= {"compare.split": split, "split": ""}  # instead of a file of the config's
        elif values["task"] == "similarity" and not _names_split(split):
            raise ConfigError(
                f"split {split}: no such file; with --task similarity give published, graphs or "
                "classes, a JSON file of a split, or another of graphpool list splits"
            )
        elif parse_split(split).kind == "own":
            given["split"] = absolute(Path(split))
    for key, value in given.items():
        section, _, name = key.rpartition(".")
        (values[section] if section else values)[name] = value
    return from_dict(RunConfig, values)


def _names_split(text: str) -> bool:
    """Whether a text is a split by its words, or a file that is there."""
    try:
        return parse_split(text).kind != "own" or exists(Path(text))
    except ConfigError:
        return False


def names_task(base: Path | None, options: Given, assignments: Sequence[str] | None) -> bool:
    """Whether a source says which task is meant."""
    if options.get("task") is not None or any(t.startswith("task=") for t in assignments or ()):
        return True
    return base is not None and "task" in toml_values(base)


def check_words(base: Path | None, options: Given, assignments: Sequence[str] | None) -> None:
    """Refuse settings that no task would take, before data is read to find the task."""
    try:
        settings(base, options, assignments)
    except ConfigError:
        settings(base, {**options, "task": "regression"}, assignments)


def _assignment(text: str) -> tuple[str, Any]:
    """Key and value of `--set KEY=VALUE`; quotes around words can be left out."""
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise ConfigError(f"--set {text}: write it as KEY=VALUE, such as model.norm=batch")
    section, _, name = key.rpartition(".")
    if hint := renamed_hint(section, name):
        raise ConfigError(f"--set {text}: {hint}")
    known = [item.key for item in _SETTINGS]
    if key not in known:
        raise ConfigError(f"--set {text}: unknown key {key!r}; {nearest(key, known)}")
    try:
        return key, parse_toml(f"value = {value}", f"--set {key}")["value"]
    except ConfigError:
        return key, value


def check_names(
    config: RunConfig,
    given: Given,
    poolers: Sequence[str],
    assignments: Sequence[str] | None = None,
) -> None:
    """Refuse misspelt names, and options without a use, before data is read.

    Args:
        given: options by dotted key, as in `settings`; the task, or all of the poolers, may have
            no use for one.
        assignments: of `--set`, as in `settings`.
    """
    from graphpool.experiments.methods import model_of
    from graphpool.features.pipeline import FeaturePipeline
    from graphpool.nn.hap import PLACE_ASSIGNMENTS
    from graphpool.nn.zoo.build import METHODS, PAIR_METHODS, uses_places
    from graphpool.nn.zoo.pairs import BY_NODES
    from graphpool.nn.zoo.used_settings import idle_settings
    from graphpool.tasks import find_task
    from graphpool.training.device import find_device

    for item in _SETTINGS:
        if given.get(item.key) is not None and not item.used_by(config.task):
            raise ConfigError(
                f"{item.option} is for --task {' and '.join(item.tasks)}, not for {config.task}; "
                "leave it out"
            )
    if given.get("model.distance") is not None and not set(poolers) & set(BY_NODES):
        raise ConfigError(
            f"--distance is for {', '.join(BY_NODES)}, which compare nodes; "
            f"{', '.join(poolers)} has its own: leave it out"
        )
    named = [name for name in poolers if name in METHODS or name in PAIR_METHODS]
    by_place = config.model.assignment in PLACE_ASSIGNMENTS or any(map(uses_places, named))
    asked = {_assignment(text)[0]: f"--set {text}" for text in assignments or ()}
    asked |= {item.key: item.option for item in _SETTINGS if given.get(item.key) is not None}
    if "model.parts" in asked:
        raise ConfigError(
            f"{asked['model.parts']}: training finds the parts; leave it out, and use --units "
            "recurring"
        )
    idle = [idle_settings(model_of(name, config.model)) for name in named]
    for key, reason in (idle[0] if idle else {}).items():
        if f"model.{key}" in asked and all(key in each for each in idle):
            raise ConfigError(
                f"{asked[f'model.{key}']} changes nothing beside {reason}; leave out one of them"
            )
    if named and not by_place:
        for key in _OF_PLACES:
            if key in asked:
                raise ConfigError(
                    f"{asked[key]} is about places, which {', '.join(named)} does not have; leave "
                    "it out, or use the pooler hap"
                )
    find_device(config.train.device)
    FeaturePipeline(config.features)
    task = find_task(config.task)
    for name in [each for each in poolers if each in task.methods()] or [config.model.pooler]:
        same = name == config.model.pooler
        model = config.model if same else model_of(name, config.model)
        task.check_settings(replace(config, model=model))


def absolute(path: Path | None) -> str | None:
    """The full path of a file, so that a run finds it from any folder."""
    return None if path is None else str(path.absolute())


def words(text: str) -> list[str]:
    """`a,b` as words."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _begin(base: Path | None, task: Any, written_by_us: bool) -> dict[str, Any]:
    """The settings of a file over those that the task starts from."""
    written: dict[str, Any] = {}
    if base is not None:
        written = toml_values(base, written_by_us=written_by_us)
        from_dict(RunConfig, written, str(base))  # checks every key and value
    task = task or written.get("task", RunConfig.task)
    if task not in (tasks := typing.get_args(Task)):
        raise ConfigError(f"there is no task {task!r}; {nearest(str(task), tasks)}")
    values = to_dict(defaults_for(task))
    for key, value in written.items():
        values[key] = {**values[key], **value} if isinstance(value, dict) else value
    return {**values, "task": task}
