import io
import sys
from contextlib import closing

import pytest

from graphpool.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def use_terminal(monkeypatch) -> Terminal:
    """Replace stderr; not a fixture, because pytest replaces it again before the test runs."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    return screen


def test_nothing_is_written_without_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", screen := io.StringIO())
    with closing(ProgressBar(5)) as bar:
        bar.advance(2)
        bar.show_rate()
        bar.update(3, description="x")
        bar.update_often(4)
    assert not bar.shown
    assert screen.getvalue() == ""


@pytest.mark.parametrize("options", [{"active": False}, {"completed": 5}])
def test_no_bar_if_it_is_not_wanted_or_nothing_is_left(monkeypatch, options):
    terminal = use_terminal(monkeypatch)
    with closing(ProgressBar(5, **options)) as bar:
        bar.advance()
    assert not bar.shown
    assert terminal.getvalue() == ""


def test_bar_shows_counts_and_texts(monkeypatch):
    terminal = use_terminal(monkeypatch)
    with closing(ProgressBar(9, 2, before="pairs", after="{task.fields[note]}", note="-")) as bar:
        bar.advance(4, note="going well")
        bar.show_rate()
    shown = terminal.getvalue()
    assert "pairs" in shown
    assert "6/9" in shown
    assert "going well" in shown
