import typing
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from graphpool.cli import options
from graphpool.config import RunConfig, Setting, settings_in
from graphpool.errors import ConfigError


def run(monkeypatch, setting, *arguments):
    """The settings that a command with this one gets."""
    received = {}
    monkeypatch.setattr(options, "_SETTINGS", (setting,))

    @options.with_settings()
    def command(*, given: options.Given, extra: int = 1) -> None:
        received.update(given, extra=extra)

    app = typer.Typer()
    app.command()(command)
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return received


def test_a_field_becomes_an_option_of_its_type(monkeypatch):
    number = Setting(help="A number.", option="--n", key="model.n", type=int)
    assert run(monkeypatch, number, "--n", "3") == {"model.n": 3, "extra": 1}
    assert run(monkeypatch, number, "--extra", "2") == {"model.n": None, "extra": 2}
    switch = Setting(help="A switch.", option="--jump", key="model.jump", type=bool)
    assert run(monkeypatch, switch, "--jump")["model.jump"] is True
    assert run(monkeypatch, switch, "--no-jump")["model.jump"] is False
    assert run(monkeypatch, switch)["model.jump"] is None


def test_lists_and_files_are_parsed(monkeypatch):
    numbers = Setting(help="Some.", option="--c", key="model.c", type=tuple[int, ...])
    assert run(monkeypatch, numbers, "--c", "8,1")["model.c"] == [8, 1]
    kinds = tuple[typing.Literal["sum", "max"], ...]
    names = Setting(help="Some.", option="--r", key="model.r", type=kinds)
    assert run(monkeypatch, names, "--r", "sum, max")["model.r"] == ["sum", "max"]
    file = Setting(help="One.", option="--f", key="compare.f", type=str, file=True)
    assert run(monkeypatch, file, "--f", "x.csv")["compare.f"] == str(Path("x.csv").absolute())


def test_options_of_a_command_are_those_of_the_config():
    @options.with_settings(without=("model.pooler",))
    def command(*, given: options.Given) -> None:
        """Do nothing."""

    names = set(typing.get_type_hints(command))
    wanted = {item.key.replace(".", "_") for item in settings_in(RunConfig) if item.option}
    assert names == wanted - {"model_pooler"}


def test_splits_of_similarity_and_of_classification():
    similar = options.settings(None, {"task": "similarity", "split": "classes"})
    assert (similar.compare.split, similar.split) == ("classes", "")
    with pytest.raises(ConfigError, match="unknown split 'classes'; known: published, scaffold"):
        options.settings(None, {"split": "classes"})
    assert options.settings(None, {"split": "a.json"}).split == str(Path("a.json").absolute())
    for text in ("published", "scaffold:7:1:2", "cv5", "group:a b", "time:year", "column:part"):
        assert options.settings(None, {"split": text}).split == text
    grouped = options.settings(None, {"task": "similarity", "split": "group:a"})
    assert (grouped.compare.split, grouped.split) == ("published", "group:a")
    with pytest.raises(ConfigError, match="give published, graphs or classes"):
        options.settings(None, {"task": "similarity", "split": "mine.json"})
    options.check_names(similar, {"task": "similarity", "split": "classes"}, ["hap"])
