import io
import sys
from contextlib import closing

import pytest
from small import unit

from graphpool.experiments.engine import report_unit
from graphpool.experiments.process_pool import Failed
from graphpool.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("screen", "shown"), [(Terminal(), True), (io.StringIO(), False)])
def test_bar_is_for_terminals(screen, shown, monkeypatch):
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with closing(ProgressBar(total=5, completed=2)) as bar:
        report_unit(bar, unit("hap"), Failed("because"), count=3, total=5, failed=1)
    assert ("3/5" in screen.getvalue()) == shown
    assert ("1 failed" in screen.getvalue()) == shown


def test_every_finished_unit_is_logged(caplog):
    from small import QUICK, mutag

    from graphpool.experiments.run import run_unit

    result = run_unit(mutag(), unit("majority"), QUICK)
    with caplog.at_level("INFO"), closing(ProgressBar(4, 1, active=False)) as bar:
        report_unit(bar, unit("majority"), result, count=2, total=4, failed=0)
    assert "2 of 4: majority, seed 0, fold 0: accuracy 0.6" in caplog.text
