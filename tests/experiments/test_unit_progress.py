import io
import sys
from contextlib import closing

import pytest
from small import run, unit

from graphpool.experiments.engine import report_unit
from graphpool.experiments.run_unit import empty_record
from graphpool.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("screen", "shown"), [(Terminal(), True), (io.StringIO(), False)])
def test_bar_is_for_terminals(screen, shown, monkeypatch):
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with closing(ProgressBar(total=5, completed=2)) as bar:
        record = empty_record(unit("hap"), "because")
        report_unit(bar, unit("hap"), record, count=3, total=5, failed=1)
    assert ("3/5" in screen.getvalue()) == shown
    assert ("1 failed" in screen.getvalue()) == shown


def test_every_finished_unit_is_logged(caplog):
    result = run(unit("majority"))
    with caplog.at_level("INFO"), closing(ProgressBar(4, 1, active=False)) as bar:
        report_unit(bar, unit("majority"), result, count=2, total=4, failed=0)
    assert "2 of 4: MUTAG, majority, seed 0, fold 0: 6" in caplog.text
