"""Settings of a run: frozen dataclasses, written and read as TOML.

An unknown key or a value of the wrong kind is a `ConfigError` that names the key and the nearest
known one; nothing is ever dropped silently.
"""

import dataclasses
import json
import math
import tomllib
import types
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from graphpool.errors import ConfigError, nearest
from graphpool.files import atomic_write

T = TypeVar("T")


@dataclass(frozen=True)
class ModelConfig:
    """What the network looks like. `graphpool list` explains the names.

    `clusters` are those of each level; without any, each graph has as many as it has places, and
    then one (methods that know no places: 8, and then one). `ratio` 0 takes `clusters` as they
    are; any other works them out from the number of nodes, for as many levels; poolers that keep
    nodes keep that share of them, and half with `ratio` 0. `heads` is GAT's; with `jump` an
    encoder gives back all of its layers' outputs, mixed to one, and not the last alone;
    `assignment`, `connect`, `relaxation` and what follows are HAP's: `count` says how the number
    of places is found, `resolution` how fine they are, `most` how many a graph has at most;
    `profile` whether a cluster is told what it is like as a place; and `cut`, `balance` and
    `orthogonality` are weights of auxiliary losses. `distance` and `score` are those of tasks that
    compare graphs: HAP's distance between two graphs at a level (other methods have their own),
    and what makes it a probability.
    """

    pooler: str = "hap"
    encoder: Literal["gcn", "gat", "gin", "graphconv"] = "gcn"
    hidden_channels: int = 64
    layers: int = 2
    heads: int = 4
    clusters: tuple[int, ...] = ()
    ratio: float = 0.0
    dropout: float = 0.0
    norm: Literal["none", "batch"] = "none"
    jump: bool = False
    readout: tuple[Literal["sum", "mean", "max"], ...] = ("sum",)
    assignment: Literal["default", "places", "places-only", "content", "static"] = "default"
    relaxation: Literal["gram", "sort", "truncate", "tile"] = "gram"
    connect: Literal["default", "offdiagonal", "gumbel", "offdiagonal-gumbel", "plain"] = "default"
    count: Literal["modularity", "eigengap", "validation"] = "modularity"
    resolution: float = 1.5
    most: int = 16
    profile: bool = True
    distance: Literal["aligned", "nodes", "sorted", "euclidean"] = "aligned"
    score: Literal["learned", "exp"] = "learned"
    cut: float = 0.0
    balance: float = 0.0
    orthogonality: float = 0.0

    def __post_init__(self) -> None:
        _positive(self, "hidden_channels", "layers", "heads", "most")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"model.dropout is {self.dropout}; it must lie in [0, 1)")
        if any(count < 1 for count in self.clusters):
            raise ConfigError(f"model.clusters is {self.clusters}; every level needs at least 1")
        if not 0 <= self.ratio < 1:
            raise ConfigError(f"model.ratio is {self.ratio}; it must lie in [0, 1)")
        if not 1 / 16 <= self.resolution <= 64:
            raise ConfigError(f"model.resolution is {self.resolution}; it must lie in [1/16, 64]")
        if self.count == "eigengap" and (self.clusters or self.ratio):
            raise ConfigError(
                "model.count 'eigengap' says how many places a graph has, and so does "
                f"model.{'clusters' if self.clusters else 'ratio'}; leave out one of them"
            )
        for name in ("cut", "balance", "orthogonality"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ConfigError(f"model.{name} is {getattr(self, name)}; it can't be negative")


@dataclass(frozen=True)
class TrainConfig:
    """How the network is trained.

    `patience` 0 means no early stopping, `clip` 0 no clipping, `threads` 0 one thread for small
    batches and torch's own choice for large ones, `checkpoint_seconds` 0 a checkpoint after every
    step. The plateau settings say after how many epochs without a better validation loss the
    learning rate is multiplied by which factor.
    """

    epochs: int = 100
    batch_size: int = 32
    learning_rate: float = 0.003
    weight_decay: float = 0.0
    schedule: Literal["constant", "cosine", "plateau"] = "constant"
    plateau_epochs: int = 10
    plateau_factor: float = 0.5
    patience: int = 0
    clip: float = 0.0
    seed: int = 0
    device: str = "cpu"
    threads: int = 0
    checkpoint_seconds: float = 30.0
    tensorboard: bool = False

    def __post_init__(self) -> None:
        _positive(self, "epochs", "batch_size", "learning_rate", "plateau_epochs")
        for name in ("patience", "clip", "weight_decay", "seed", "threads", "checkpoint_seconds"):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"train.{name} is {getattr(self, name)}; it can't be negative")
        if self.seed >= 2**63:
            raise ConfigError(f"train.seed is {self.seed}; it must be less than 2**63")
        if not 0 < self.plateau_factor < 1:
            raise ConfigError(
                f"train.plateau_factor is {self.plateau_factor}; it must lie in (0, 1)"
            )


@dataclass(frozen=True)
class CompareConfig:
    """Which pairs or triplets of graphs a task that compares them is given.

    `examples` train, `valid` choose the epoch and `test` are tested: pairs of a set that draws
    them, or triplets. `pairs` is a file of pairs with their answers, for graphs of one's own, and
    `distances` a file of distances between all graphs, instead of the published ones or the edit
    distance. `split` says how graphs are parted for triplets: as published, at random, or at
    random with isomorphic graphs in one part.
    """

    examples: int = 40_000
    valid: int = 2_000
    test: int = 2_000
    pairs: str = ""
    distances: str = ""
    split: Literal["published", "graphs", "classes"] = "published"

    def __post_init__(self) -> None:
        _positive(self, "examples", "valid", "test")


Task = Literal["classification", "matching", "similarity"]


@dataclass(frozen=True)
class RunConfig:
    """One training run from start to end; `compare` is of tasks that compare graphs."""

    task: Task = "classification"
    data: str = "MUTAG"
    features: str = "auto"
    model: ModelConfig = field(default_factory=ModelConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    compare: CompareConfig = field(default_factory=CompareConfig)


def defaults_for(task: Task) -> RunConfig:
    """The settings that a task begins with.

    To compare graphs takes an encoder that tells nodes apart by what is around them: sums, all
    layers' outputs, random-walk features, batch normalisation and thousands of steps.
    """
    if task == "classification":
        return RunConfig()
    matching = task == "matching"
    return RunConfig(
        task=task,
        data="matching-balanced-hard-20" if matching else "AIDS700nef",
        features="constant+logdegree+rw:8" if matching else "auto+logdegree+rw:8",
        model=ModelConfig(encoder="graphconv", norm="batch", jump=True, layers=3),
        train=TrainConfig(
            epochs=25 if matching else 5,
            batch_size=256 if matching else 512,
            schedule="cosine",
            clip=5.0,
        ),
        compare=CompareConfig(examples=40_000 if matching else 200_000),
    )


def _positive(config: Any, *names: str) -> None:
    section = type(config).__name__.removesuffix("Config").lower()
    for name in names:
        value = getattr(config, name)
        if not 0 < value < math.inf:
            raise ConfigError(f"{section}.{name} is {value}; it must be positive")


def from_dict(kind: type[T], values: dict[str, Any], where: str = "config") -> T:
    """Build the dataclass `kind` from plain values, checking every key and type."""
    hints = typing.get_type_hints(kind)
    known = {item.name: hints[item.name] for item in dataclasses.fields(kind)}  # type: ignore[arg-type]
    made = {}
    for key, value in values.items():
        if key not in known:
            raise ConfigError(f"{where}: unknown key {key!r}; {nearest(key, known)}")
        made[key] = _convert(known[key], value, f"{where}.{key}")
    return kind(**made)


def _convert(hint: Any, value: Any, where: str) -> Any:
    """Check `value` against the type `hint` and bring it into that type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, dict):
            raise ConfigError(f"{where}: a table is needed here, not {value!r}")
        return from_dict(typing.cast(type[Any], hint), value, where)
    if origin is Literal:
        if value not in arguments:
            raise ConfigError(f"{where}: unknown value {value!r}; {nearest(str(value), arguments)}")
        return value
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"{where}: a list is needed here, not {value!r}")
        return tuple(_convert(arguments[0], item, where) for item in value)
    if origin in (typing.Union, types.UnionType):
        return _convert_union(arguments, value, where)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise ConfigError(f"{where}: {value!r} is not of type {hint.__name__}")
    return value


def _convert_union(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    """Take the first kind that fits."""
    problem = ConfigError(f"{where}: a value is needed here")
    for kind in kinds:
        if kind is type(None):
            if value is None:
                return None
            continue
        try:
            return _convert(kind, value, where)
        except ConfigError as error:
            problem = error
    raise problem


def to_dict(config: Any) -> dict[str, Any]:
    """Plain values of a config, ready for JSON or TOML."""
    return typing.cast(dict[str, Any], json.loads(json.dumps(dataclasses.asdict(config))))


def read_toml(kind: type[T], path: str | Path) -> T:
    """Read a config file."""
    path = Path(path)
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such config file") from None
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    return from_dict(kind, values, str(path))


def write_toml(config: Any, path: str | Path) -> None:
    """Write a config file that `read_toml` gives back unchanged."""
    with atomic_write(path, "w") as handle:
        handle.write(_toml(to_dict(config), ()))


def _toml(values: dict[str, Any], prefix: tuple[str, ...]) -> str:
    plain = {key: value for key, value in values.items() if not isinstance(value, dict)}
    lines = [f"{key} = {_toml_value(value)}" for key, value in plain.items() if value is not None]
    text = "\n".join(lines) + "\n" if lines else ""
    for key, value in values.items():
        if isinstance(value, dict):
            text += f"\n[{'.'.join((*prefix, key))}]\n{_toml(value, (*prefix, key))}"
    return text


def _toml_value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_toml_value(item) for item in value)}]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    # TOML wants characters outside the basic plane as they are, and DEL escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
