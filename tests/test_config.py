import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from graphpool.config import (
    RENAMED,
    ModelConfig,
    RunConfig,
    TrainConfig,
    current_header,
    defaults_for,
    from_dict,
    original_names,
    read_toml,
    settings_in,
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
    value = from_dict(TrainConfig, {"clip_norm": 1}).clip_norm
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
        ({"model": {"num_layers": "2"}}, r"config\.model\.num_layers: '2' is not of type int"),
        ({"model": {"num_layers": True}}, "True is not of type int"),
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
        (ModelConfig, {"num_layers": -1}, r"model\.num_layers is -1"),
        (ModelConfig, {"dropout": 1.0}, r"model\.dropout"),
        (ModelConfig, {"clusters": [8, 0]}, r"model\.clusters"),
        (ModelConfig, {"clusters": [8, 0]}, r"model\.clusters is \(8, 0\); every number must be"),
        (ModelConfig, {"ratio": -0.1}, r"model\.ratio is -0.1; it must lie in \[0, 1\)"),
        (ModelConfig, {"resolution": 65.0}, r"it must lie in \[1/16, 64\]"),
        (ModelConfig, {"cut_loss": float("inf")}, r"model\.cut_loss is inf; it must be finite"),
        (TrainConfig, {"plateau_factor": 1.0}, r"it must lie in \(0, 1\)"),
        (TrainConfig, {"learning_rate": float("nan")}, r"train\.learning_rate is nan"),
        (TrainConfig, {"learning_rate": float("inf")}, r"train\.learning_rate is inf"),
        (TrainConfig, {"clip_norm": -1.0}, r"train\.clip_norm is -1.0; it can't be negative"),
        (TrainConfig, {"seed": 2**63}, r"must be less than 2\*\*63"),
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
        ModelConfig(cluster_count="eigengap", **given)


SETTINGS = {item.key: item for item in settings_in(RunConfig)}


def literals(hint: Any) -> tuple[Any, ...]:
    """Names that a type allows, also one within a tuple."""
    if typing.get_origin(hint) is Literal:
        return typing.get_args(hint)
    return next((names for part in typing.get_args(hint) if (names := literals(part))), ())


@pytest.mark.parametrize("key", SETTINGS)
def test_every_setting_explains_itself(key: str) -> None:
    item = SETTINGS[key]
    assert item.help.endswith(".")
    assert tuple(item.choices) == literals(item.type)
    assert all(item.choices.values())
    item.check(item.default)
    section = getattr(RunConfig(), item.section) if item.section else RunConfig()
    assert getattr(section, item.name) == item.default


def test_options_are_distinct() -> None:
    options = [item.option for item in SETTINGS.values() if item.option]
    assert len(set(options)) == len(options)


def test_every_field_is_declared_as_a_setting() -> None:
    values = to_dict(RunConfig())
    keys = [key for key, value in values.items() if not isinstance(value, dict)]
    for section, own in values.items():
        keys += [f"{section}.{key}" for key in own] if isinstance(own, dict) else []
    assert sorted(keys) == sorted(SETTINGS)


def test_validation_of_the_number_of_places_is_for_classification() -> None:
    with pytest.raises(ConfigError, match="is for tasks over single graphs"):
        RunConfig(task="matching", model=ModelConfig(cluster_count="validation"))


OLD = [(section, old, new) for section, names in RENAMED.items() for old, new in names.items()]


@pytest.mark.parametrize(("section", "old", "new"), OLD)
def test_an_old_key_names_the_new_one(section: str, old: str, new: str) -> None:
    assert f"{section}.{new}" in SETTINGS
    with pytest.raises(ConfigError, match=rf"{section}\.{old} is now {section}\.{new}"):
        from_dict(RunConfig, {section: {old: 1}})


def test_a_file_that_0_1_0_wrote_is_read(tmp_path: Path) -> None:
    config = defaults_for("similarity")
    old = original_names(to_dict(config))
    assert old["model"]["layers"] == 3
    assert old["train"]["clip"] == 5.0
    path = tmp_path / "config.toml"
    write_toml(config, path)
    text = path.read_text()
    for _, before, now in OLD:
        text = text.replace(f"\n{now} =", f"\n{before} =")
    path.write_text(text)
    with pytest.raises(ConfigError, match="is now"):
        read_toml(RunConfig, path)
    assert read_toml(RunConfig, path, written_by_us=True) == config
    header = {"config": old["train"], "extra": {"model": old["model"], "kind": "x"}, "best": {}}
    new = to_dict(config)
    assert current_header(header) == {
        "config": new["train"], "extra": {"model": new["model"], "kind": "x"}, "best": {},
    }  # fmt: skip
