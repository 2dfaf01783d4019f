from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from graphpool.config import (
    ModelConfig,
    RunConfig,
    TrainConfig,
    from_dict,
    read_toml,
    to_dict,
    write_toml,
)
from graphpool.errors import ConfigError


@dataclass(frozen=True)
class Deep:
    """Every kind of value that a config may hold."""

    text: str = ""
    number: float = 0.0
    either: int | str = 0
    maybe: int | None = None
    names: tuple[str, ...] = ()
    inner: ModelConfig = field(default_factory=ModelConfig)


def test_file_gives_the_same_config_back(tmp_path: Path) -> None:
    config = RunConfig(
        data="PROTEINS",
        model=ModelConfig(clusters=(12, 3, 1), dropout=0.25),
        train=TrainConfig(learning_rate=1e-5, tensorboard=True),
    )
    write_toml(config, tmp_path / "run.toml")
    assert read_toml(RunConfig, tmp_path / "run.toml") == config


@pytest.mark.parametrize("text", ['a "b" \\ c', "line\nline\ttab", "naïve 😀", "\x7f\x01", ""])
def test_any_text_survives_the_file(tmp_path: Path, text: str) -> None:
    config = Deep(text=text, names=(text, "x"))
    write_toml(config, tmp_path / "deep.toml")
    assert read_toml(Deep, tmp_path / "deep.toml") == config


@pytest.mark.parametrize("number", [float("inf"), -float("inf"), 1e-300, 3.0])
def test_any_number_survives_the_file(tmp_path: Path, number: float) -> None:
    write_toml(Deep(number=number), tmp_path / "deep.toml")
    assert read_toml(Deep, tmp_path / "deep.toml").number == number


def test_values_of_a_union_keep_their_kind() -> None:
    assert from_dict(Deep, {"either": 3}).either == 3
    assert from_dict(Deep, {"either": "x"}).either == "x"
    assert from_dict(Deep, {"maybe": None}).maybe is None
    with pytest.raises(ConfigError, match=r"config\.either"):
        from_dict(Deep, {"either": None})
    with pytest.raises(ConfigError, match=r"config\.either"):
        from_dict(Deep, {"either": [1]})


def test_whole_numbers_are_floats_where_floats_are_needed() -> None:
    value = from_dict(TrainConfig, {"clip": 1}).clip
    assert value == 1.0
    assert isinstance(value, float)


def test_to_dict_holds_plain_values_only() -> None:
    config = RunConfig(model=ModelConfig(clusters=(8, 1)))
    values = to_dict(config)
    assert values["model"]["clusters"] == [8, 1]
    assert from_dict(RunConfig, values) == config
    assert to_dict(RunConfig())["model"]["clusters"] == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"modle": {}}, "did you mean 'model'"),
        ({"model": {"hiden_channels": 3}}, r"config\.model: .* did you mean 'hidden_channels'"),
        ({"model": {"encoder": "gcm"}}, "did you mean 'gcn'"),
        ({"model": {"layers": "2"}}, r"config\.model\.layers: '2' is not of type int"),
        ({"model": {"layers": True}}, "True is not of type int"),
        ({"model": {"clusters": 8}}, "a list is needed"),
        ({"model": {"clusters": [8, "1"]}}, "'1' is not of type int"),
        ({"model": 3}, "a table is needed"),
        ({"train": {"tensorboard": 1}}, "1 is not of type bool"),
    ],
)
def test_wrong_key_or_kind_is_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        from_dict(RunConfig, values)


@pytest.mark.parametrize(
    ("section", "values", "message"),
    [
        (ModelConfig, {"layers": 0}, r"model\.layers is 0"),
        (ModelConfig, {"dropout": 1.0}, r"model\.dropout"),
        (ModelConfig, {"clusters": [8, 0]}, r"model\.clusters"),
        (ModelConfig, {"ratio": -0.1}, r"model\.ratio"),
        (TrainConfig, {"learning_rate": float("nan")}, r"train\.learning_rate is nan"),
        (TrainConfig, {"learning_rate": float("inf")}, r"train\.learning_rate is inf"),
        (TrainConfig, {"clip": -1.0}, r"train\.clip|clip"),
        (TrainConfig, {"seed": 2**63}, r"train\.seed is 9223372036854775808"),
        (TrainConfig, {"seed": -1}, r"train\.seed is -1; it can't be negative"),
    ],
)
def test_value_out_of_range_is_named(
    section: type[Any], values: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        from_dict(section, values)


def test_missing_broken_and_unreadable_files_are_config_errors(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("a = [1\n")
    for path in (tmp_path / "none.toml", broken, tmp_path):
        with pytest.raises(ConfigError, match=path.name):
            read_toml(RunConfig, path)


@pytest.mark.parametrize("given", [{"clusters": (8, 1)}, {"ratio": 0.2}])
def test_two_ways_to_say_how_many_places_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"{next(iter(given))}; leave out one"):
        ModelConfig(count="eigengap", **given)
