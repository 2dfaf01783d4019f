"""Run commands in processes of their own that can be killed: forked from one that has imported all.

Importing takes seconds, a fork milliseconds, and a kill is wanted many times.
"""

import multiprocessing
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess
from pathlib import Path


class Commands:
    """Starts `graphpool ARGUMENTS` in a folder; what it prints is appended to `log`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / "log.txt"
        self.started = self.kills = 0
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["killing_preload"])
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        forkserver.ensure_running()
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before

    def start(self, *arguments: object) -> ForkServerProcess:
        words = [str(each) for each in arguments]
        process = self._context.Process(target=_run, args=(words, self.folder, self.log))
        process.start()
        self.started += 1
        return process

    def finish(self, *arguments: object) -> int:
        """Run to the end; return the exit code."""
        process = self.start(*arguments)
        process.join(300)
        assert process.exitcode is not None
        return process.exitcode

    def kill_at_random(
        self,
        times: int,
        seconds: float,
        arguments: Callable[[], Sequence[object]],
        finished: Callable[[], None],
        seed: int = 0,
    ) -> None:
        """Start a command and kill it within `seconds`, again and again, until `times` died.

        Args:
            finished: called when one came to its end before it was killed; checks its result and
                removes it, so that the next begins anew.
        """
        chance, died = random.Random(seed), 0
        while died < times:
            began, process = time.monotonic(), self.start(*arguments())
            process.join(chance.uniform(0, seconds))
            process.kill()
            process.join()
            assert process.exitcode in (-9, 0), self.said
            if process.exitcode == 0:
                seconds = min(seconds, time.monotonic() - began)  # the first may have been slow
                finished()
            died += process.exitcode == -9
        self.kills += died

    def timed(self, *arguments: object) -> float:
        """Run to the end, which must be a good one; return the seconds that it took."""
        self.finish("--version")  # the first process waits for the imports
        began = time.monotonic()
        assert self.finish(*arguments) == 0, self.said
        return time.monotonic() - began

    @property
    def said(self) -> str:
        return self.log.read_text()[-2000:] if self.log.exists() else ""

    def left_over(self) -> list[Path]:
        """Temporary files, scratch folders and locks."""
        found = [*self.folder.rglob(".graphpool-*"), *self.folder.rglob(".*.lock")]
        return [*found, *(self.folder / "tmp").glob("graphpool-*")]


def _run(words: list[str], folder: Path, log: Path) -> None:
    os.chdir(folder)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for stream in (1, 2):
        os.dup2(descriptor, stream)
    os.environ["TMPDIR"] = str(folder / "tmp")
    from graphpool.cli.main import run

    try:
        run(words)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
