"""Describe many molecules on all cores, in order, a few chunks at a time.

rdkit keeps Python's lock, so threads don't help: each thread here waits for a process of its own.
The processes are started as programs: a script of a user is not run again, as it would be by
`multiprocessing`, and one that rdkit kills is started anew without the molecule that did it.
"""

import itertools
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np

import graphpool
from graphpool.data.molecules.atoms import MoleculeChunk, chemistry, featurise
from graphpool.data.molecules.worker import read_frame, unpack, write_frame

CHUNK = 1000
_IN_PROCESS = 4  # chunks; a file with fewer is read before processes have started
_CRASHED = "rdkit crashes on it"


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def featurise_chunks(
    chunks: Iterable[Sequence[str]], check_valence: bool = True, jobs: int | None = None
) -> Iterator[MoleculeChunk]:
    """Yield the atoms and bonds of each chunk of SMILES.

    Args:
        check_valence: as in `featurise`.
        jobs: number of processes; by default one per core.
    """
    chemistry()  # without rdkit, say so at once
    jobs = count_cores() if jobs is None else jobs
    chunks = iter(chunks)
    first = list(itertools.islice(chunks, _IN_PROCESS))
    if len(first) < _IN_PROCESS or jobs < 2 or not sys.executable:
        for chunk in itertools.chain(first, chunks):
            yield featurise(chunk, check_valence)
        return
    pool = _Pool(jobs, check_valence)
    waiting: deque[Future[MoleculeChunk]] = deque()
    try:
        for chunk in itertools.chain(first, chunks):
            waiting.append(pool.submit(chunk))
            if len(waiting) > 2 * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        pool.close()


class _Pool:
    """Threads, each with a process."""

    def __init__(self, jobs: int, check_valence: bool) -> None:
        self._check_valence = check_valence
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="molecules")
        self._own = threading.local()
        self._all: list[subprocess.Popen[bytes]] = []

    def submit(self, smiles: Sequence[str]) -> Future[MoleculeChunk]:
        return self._threads.submit(self._answer, smiles)

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)
        for process in self._all:
            process.kill()
            process.communicate()

    def _answer(self, smiles: Sequence[str]) -> MoleculeChunk:
        if (answer := self._ask(smiles)) is not None:
            return answer
        if len(smiles) == 1:
            return _no_molecule()
        half = len(smiles) // 2  # one of them killed the process: find it
        return _join(self._answer(smiles[:half]), self._answer(smiles[half:]))

    def _ask(self, smiles: Sequence[str]) -> MoleculeChunk | None:
        """Return the answer of this thread's process; None if it dies of it."""
        process: subprocess.Popen[bytes] | None = getattr(self._own, "process", None)
        if process is None or process.poll() is not None:
            process = self._own.process = _start(self._check_valence)
            self._all.append(process)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            write_frame(process.stdin, "\n".join(smiles).encode())
            content = read_frame(process.stdout)
        except OSError:
            content = None
        if content is None:
            process.kill()
            process.wait()
        return None if content is None else unpack(content)


def _start(check_valence: bool) -> "subprocess.Popen[bytes]":
    source = str(Path(graphpool.__file__).parents[1])
    paths = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-m", "graphpool.data.molecules.worker", str(int(check_valence))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
    )


def _no_molecule() -> MoleculeChunk:
    none, zero = np.zeros(0, dtype=np.int32), np.zeros(1, dtype=np.int32)
    return MoleculeChunk(zero, zero, none, none, none.reshape(-1, 2), (), (), {0: _CRASHED})


def _join(first: MoleculeChunk, second: MoleculeChunk) -> MoleculeChunk:
    def both(name: str, shift: int = 0) -> "np.ndarray[tuple[int, ...], np.dtype[np.int32]]":
        parts = getattr(first, name), getattr(second, name) + np.int32(shift)
        return np.concatenate(parts)

    return MoleculeChunk(
        both("atoms"),
        both("bonds"),
        both("atom_kind", len(first.atom_kinds)),
        both("bond_kind", len(first.bond_kinds)),
        both("ends"),
        [*first.atom_kinds, *second.atom_kinds],
        [*first.bond_kinds, *second.bond_kinds],
        {**first.bad, **{row + len(first.atoms): why for row, why in second.bad.items()}},
    )
