import io
import sys
from contextlib import closing

import pytest
from small import run, unit

from graphpool.experiments.progress import UnitBar
from graphpool.experiments.records import failed
from graphpool.experiments.run_unit import empty_record


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("screen", "shown"), [(Terminal(), True), (io.StringIO(), False)])
def test_bar_is_for_terminals(screen, shown, monkeypatch):
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with closing(UnitBar(total=5, kept=2, active=True)) as bar:
        bar.advance(unit("hap"), failed(empty_record(unit("hap")), "because"))
    assert ("3/5" in screen.getvalue()) == shown
    assert ("1 failed" in screen.getvalue()) == shown


def test_every_finished_unit_is_logged(caplog):
    result = run(unit("majority"))
    with caplog.at_level("INFO"), closing(UnitBar(total=4, kept=1, active=False)) as bar:
        bar.advance(unit("majority"), result)
    assert "2 of 4: MUTAG, majority, seed 0, fold 0: 6" in caplog.text
