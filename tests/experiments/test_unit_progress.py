import io
import sys
from contextlib import closing

import pytest
from small import unit

from graphpool.experiments.process_pool import Failed
from graphpool.experiments.progress import UnitBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("screen", "shown"), [(Terminal(), True), (io.StringIO(), False)])
def test_bar_is_for_terminals(screen, shown, monkeypatch):
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with closing(UnitBar(total=5, kept=2, active=True)) as bar:
        bar.advance(unit("hap"), Failed("because"))
    assert ("3/5" in screen.getvalue()) == shown
    assert ("1 failed" in screen.getvalue()) == shown


def test_every_finished_unit_is_logged(caplog):
    from graphpool.experiments.run import run_unit
    from small import QUICK, mutag

    result = run_unit(mutag(), unit("majority"), QUICK)
    with caplog.at_level("INFO"), closing(UnitBar(total=4, kept=1, active=False)) as bar:
        bar.advance(unit("majority"), result)
    assert "2 of 4: majority, seed 0, fold 0: accuracy 0.6" in caplog.text
