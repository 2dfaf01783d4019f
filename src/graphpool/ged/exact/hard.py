"""Solve hard pairs: reformulate the costs, search for a while, divide, and repeat for each part."""

from collections.abc import Callable
from functools import cache

import numpy as np

from graphpool.ged.exact.ascent import (
    Reformulation,
    copy_problem,
    fix_mapping,
    make_reformulation,
    merge_ends,
    raise_bound,
    redistribute,
    reformulate,
    restart_search,
    sweep,
)
from graphpool.ged.exact.assignment import match_rows
from graphpool.ged.exact.search import lower_bound as compiled_lower_bound
from graphpool.ged.exact.search import run
from graphpool.ged.exact.workspace import (
    BUDGET,
    CHILDREN,
    COLUMN,
    DEPTH,
    EXPANDED,
    LEFT,
    LINE,
    NEXT,
    SIDE,
    SIZE,
    TAKEN_COLUMN,
    TAKEN_ROW,
    UPPER,
    Workspace,
)
from graphpool.ged.kernel import IntArray
from graphpool.ged.pair import GedProblem
from graphpool.ged.result import Answers
from graphpool.numba_cache import interpreted

_MEMORY = 192 << 20  # bytes of reformulations for one pair
_LARGEST = 1 << 24  # largest bound in fine units, so that sums stay below `BARRED`
_FINE = 2048
_ENOUGH = 16  # fine units to one, below which reformulations are too coarse to help
_ROOT_SWEEPS, _SWEEPS = 30, 8
_WORTHWHILE = 60  # sweeps go on while they close 1 / 60 of the gap
_STEP = 10**6  # work between two checks of the time, some milliseconds
_SEARCH = 12  # steps of searching before a problem is divided
_ROW_BY_ROW = 40  # number of nodes from which the time is checked within a sweep
_NEVER = 1 << 60
_NO_PAIRS, _NO_ANSWERS = np.zeros((0, 2), dtype=np.int64), Answers.empty(0, 1)
lower_bound = interpreted(compiled_lower_bound)


@cache
def prepare() -> None:
    """Load the compiled code, which would otherwise be loaded during the time limit."""
    form = make_reformulation(1)
    near, degree = np.zeros((2, 1, 1), dtype=np.int64), np.zeros((2, 1), dtype=np.int64)
    redistribute(near, degree, form)
    sweep(form, 0, 0, 0, 0, 0)
    raise_bound(form, 0, 0)
    match_rows(0, near[0], degree, degree, degree)


class HardPair:
    """The search in one hard pair.

    Args:
        work: the pair, with the best mapping so far.
        most: number of partial mappings that may be expanded.
        stop: returns True when the time is over.
    """

    def __init__(
        self, problem: GedProblem, work: Workspace, most: int, stop: Callable[[], bool]
    ) -> None:
        self.problem, self.work, self.most, self.stop = problem, work, most, stop
        self.unit = problem.tables.unit
        self.size = int(work.state[SIZE])
        most_cost = int(work.state[UPPER]) + 1
        self.fine = min(_FINE, 1 << max(0, (_LARGEST // most_cost).bit_length() - 1))
        self.max_levels = min(self.size, _MEMORY // max(1, 4 * self.size**4))  # of division
        self.forms: list[Reformulation] = []

    def finish(self) -> int:
        """Search until the distance is proved or a limit is reached; return the lower bound."""
        known = int(lower_bound(self.problem, self.work))
        if self.fine < _ENOUGH or not self.max_levels:
            self._search(self.work, _NEVER)
            return max(known, int(lower_bound(self.problem, self.work)))
        self.forms.append(make_reformulation(self.size))
        reformulate(self.problem, self.work, self.forms[0], self.fine)
        return max(known, self._solve(0, 0))

    @property
    def limit(self) -> int:
        """The highest bound, in fine units, at which a better mapping may exist."""
        return self.fine * (int(self.work.state[UPPER]) - self.unit)

    @property
    def over(self) -> bool:
        """Whether a limit is reached."""
        return bool(self.work.state[EXPANDED] >= self.most) or self.stop()

    def _whole(self, bound: int) -> int:
        """Convert a bound in fine units to a cost, at most that of the best mapping."""
        rounded = -(-bound // (self.fine * self.unit)) * self.unit
        return min(rounded, int(self.work.state[UPPER]))

    def _solve(self, level: int, bound: int) -> int:
        """Solve the problem in `forms[level]`; return its lower bound."""
        form = self.forms[level]
        bound = self._ascend(form, bound, _SWEEPS if level else _ROOT_SWEEPS)
        if bound > self.limit or self.over:
            return self._whole(bound)
        reformulated = self._restart(form, bound)
        deepest = level + 1 >= self.max_levels
        self._search(reformulated, _NEVER if deepest else _SEARCH)
        if self.work.state[DEPTH] < 0 or self.over:
            return int(lower_bound(self.problem, reformulated))
        return self._divide(level, bound)

    def _ascend(self, form: Reformulation, bound: int, sweeps: int) -> int:
        """Sweep while it pays; return the bound."""
        step = self.size if self.size < _ROW_BY_ROW else 1
        for turn in range(sweeps):
            redistribute(self.work.near, self.work.degree, form)
            for begin in range(0, self.size, step):
                sweep(form, bound, self.limit, begin, begin + step, turn % 2)
                if self.stop():
                    return bound
            before, bound = bound, int(raise_bound(form, bound, self.limit))
            gap = self.limit - bound
            if gap < 0 or (turn > 1 and (bound - before) * _WORTHWHILE < gap):
                break
        return bound

    def _restart(self, form: Reformulation, bound: int) -> Workspace:
        """Start a search at the root of the reformulation."""
        merge_ends(form)
        reformulated = self.work._replace(double=form.double)
        restart_search(reformulated, form, bound, self.fine)
        return reformulated

    def _search(self, work: Workspace, steps: int) -> None:
        """Search for some steps, until done or a limit is reached."""
        while steps > 0 and work.state[DEPTH] >= 0 and not self.over:
            work.state[BUDGET], work.state[LEFT] = _STEP, _NEVER
            run(self.problem, work, _NO_PAIRS, 0, self.most, 0, _NO_ANSWERS)
            steps -= 1

    def _divide(self, level: int, bound: int) -> int:
        """Solve each child of the first open choice of the search as a problem of its own."""
        fixed, children = self._open_choice()
        if len(self.forms) == level + 1:
            self.forms.append(make_reformulation(self.size))
        lowest = _NEVER
        for number, (v, u, low) in enumerate(children):
            if low > self.limit:
                break
            copy_problem(self.forms[level], self.forms[level + 1])
            for row, column in (*fixed, (v, u)):
                fix_mapping(self.forms[level + 1], row, column)
            lowest = min(lowest, self._solve(level + 1, bound))
            if self.over:
                return min([lowest, *(self._whole(low) for _, _, low in children[number + 1 :])])
        return min(lowest, int(self.work.state[UPPER]))

    def _open_choice(self) -> tuple[list[tuple[int, int]], list[tuple[int, int, int]]]:
        """Return the forced mappings, and the children (row, column, bound) of the first choice."""
        work, fixed, depth = self.work, [], 0
        while True:
            level = work.level[depth]
            current = depth < work.state[DEPTH]  # the child before NEXT is not finished
            first = int(level[NEXT]) - int(current)
            if int(level[CHILDREN]) - first != 1 or not current:
                break
            depth += 1
            fixed.append((int(work.level[depth, TAKEN_ROW]), int(work.level[depth, TAKEN_COLUMN])))
        side = int(level[SIDE])
        line = int(work.node[depth, side, level[LINE]])
        others: IntArray = work.child[depth, 0, first : level[CHILDREN]]
        bounds = work.child[depth, 1, first : level[CHILDREN]].tolist()
        partners = work.node[depth, 1 - side, others].tolist()
        pairs = [(other, line) if side == COLUMN else (line, other) for other in partners]
        return fixed, [(v, u, low) for (v, u), low in zip(pairs, bounds, strict=True)]
