"""`graphpool list KIND` for every kind, and completion in shells."""

import os
import subprocess
import sys

import pytest

from graphpool.cli.list import _CHOICES, _LISTS
from graphpool.cli.main import run

KINDS = [*_LISTS, *(item.name for item in _CHOICES)]


def listed(what: str) -> int:
    with pytest.raises(SystemExit) as stop:
        run(["list", what, "--json"])
    assert isinstance(stop.value.code, int)
    return stop.value.code


@pytest.mark.parametrize("kind", KINDS)
def test_every_list_is_found_in_singular_and_plural(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if kind == "poolers":  # which are built to be counted
        kind = "networks"
    one = kind.removesuffix("s")
    printed = set()
    for word in (kind, one, f"{one}s", kind.replace("_", "-")):
        assert listed(word) == 0, word
        printed.add(capsys.readouterr().out)
    assert len(printed) == 1


def test_encoders_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert listed("encoders") == 0
    assert '"gin"' in capsys.readouterr().out


def test_an_unknown_list_names_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert listed("encodrs") == 2
    assert "did you mean 'encoder'?" in capsys.readouterr().err
    assert listed("sets") == 2
    assert "graphpool data list" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("graphpool tr", ["train"]),
        ("graphpool train --epo", ["--epochs"]),
        ("graphpool train --encoder gine", ["gine"]),
        ("graphpool list enc", ["encoder"]),
    ],
)
def test_a_shell_completes_commands_options_and_choices(words: str, expected: list[str]) -> None:
    asked = {
        "_GRAPHPOOL_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    done = subprocess.run(
        [sys.executable, "-c", "from graphpool.cli.main import run; run()"],
        env={**os.environ, **asked}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.split() == expected
    assert done.returncode == 0
    assert not done.stderr
