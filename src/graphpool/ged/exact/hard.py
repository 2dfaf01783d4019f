"""Hard pairs: restate the costs, search for a while, divide, and so on with each part."""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.collection import collect
from graphpool.ged.costs import Costs
from graphpool.ged.exact.ascent import (
    Statement,
    fix,
    hand_back,
    harvest,
    inherit,
    join_ends,
    make_statement,
    restart,
    state_costs,
    sweep,
)
from graphpool.ged.exact.root import lay_out
from graphpool.ged.exact.search import lower_bound, search, set_out
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
    make_workspace,
)
from graphpool.ged.pair import Task, make_task

_MEMORY = 192 << 20  # bytes of statements for one pair
_LARGEST = 1 << 24  # of a bound in fine units, so that sums stay below `BARRED`
_FINE = 2048
_ENOUGH = 16  # fine units to one, below which statements are too coarse to help
_ROOT_SWEEPS, _SWEEPS = 30, 8
_WORTHWHILE = 60  # a sweep goes on if it closes this part of the gap
_STEP = 10**6  # work between two looks at the clock, some milliseconds
_SEARCH = 12  # steps of searching before a problem is divided
_ROW_BY_ROW = 40  # nodes from which the clock is looked at within a sweep
_NEVER = 1 << 60


@cache
def prepare() -> None:
    """Load the compiled code, which would otherwise be compiled or loaded while the clock runs."""
    task = make_task(collect([(2, [(0, 1)])] * 2), Costs())
    work = make_workspace(2, 1)
    lay_out(task, work, 0, 1)
    work.state[UPPER] = 10  # as if there were something to find
    division = Division(task, work, _NEVER, lambda: False)
    division.forms = [make_statement(2), make_statement(2)]
    form, child = division.forms
    state_costs(task, work, form, division.fine)
    division._ascend(form, 0, 1)
    join_ends(work, form)
    stated = work._replace(double=form.double)
    restart(stated, form, 0, division.fine)
    set_out(task, stated)
    search(task, stated, 0)
    lower_bound(task, stated)
    inherit(work, form, child)
    fix(work, child, 0, 0)


class Division:
    """One hard pair. `work` holds it, with the best mapping so far.

    Args:
        most: partial mappings that may be expanded.
        stop: says when time is up.
    """

    def __init__(self, task: Task, work: Workspace, most: int, stop: Callable[[], bool]) -> None:
        self.task, self.work, self.most, self.stop = task, work, most, stop
        self.unit = task.tables.unit
        self.size = int(work.state[SIZE])
        most_cost = int(work.state[UPPER]) + 1
        self.fine = min(_FINE, 1 << max(0, (_LARGEST // most_cost).bit_length() - 1))
        self.room = min(self.size, _MEMORY // max(1, 4 * self.size**4))  # levels of division
        self.forms: list[Statement] = []

    def finish(self) -> int:
        """Search until proved or stopped; what no mapping can fall below."""
        known = int(lower_bound(self.task, self.work))
        if self.fine < _ENOUGH or not self.room:
            self._search(self.work, _NEVER)
            return max(known, int(lower_bound(self.task, self.work)))
        self.forms.append(make_statement(self.size))
        state_costs(self.task, self.work, self.forms[0], self.fine)
        return max(known, self._solve(0, 0))

    @property
    def limit(self) -> int:
        """The highest bound, in fine units, that leaves room for a better mapping."""
        return self.fine * (int(self.work.state[UPPER]) - self.unit)

    @property
    def over(self) -> bool:
        """Whether a limit of the user is reached."""
        return bool(self.work.state[EXPANDED] >= self.most) or self.stop()

    def _whole(self, bound: int) -> int:
        """A bound in fine units as a cost, and never above the best mapping's."""
        rounded = -(-bound // (self.fine * self.unit)) * self.unit
        return min(rounded, int(self.work.state[UPPER]))

    def _solve(self, level: int, bound: int) -> int:
        """Solve the problem that `forms[level]` states; what no mapping of it can fall below."""
        form = self.forms[level]
        bound = self._ascend(form, bound, _SWEEPS if level else _ROOT_SWEEPS)
        if bound > self.limit or self.over:
            return self._whole(bound)
        join_ends(self.work, form)
        stated = self.work._replace(double=form.double)
        restart(stated, form, bound, self.fine)
        set_out(self.task, stated)
        deepest = level + 1 >= self.room
        self._search(stated, _NEVER if deepest else _SEARCH)
        if self.work.state[DEPTH] < 0 or self.over:
            return int(lower_bound(self.task, stated))
        return self._divide(level, bound)

    def _ascend(self, form: Statement, bound: int, sweeps: int) -> int:
        """Sweep while it pays; the bound then."""
        step = self.size if self.size < _ROW_BY_ROW else 1
        for turn in range(sweeps):
            hand_back(self.work, form)
            for begin in range(0, self.size, step):
                sweep(self.work, form, bound, self.limit, begin, begin + step, turn % 2)
                if self.stop():
                    return bound
            before, bound = bound, int(harvest(self.work, form, bound, self.limit))
            gap = self.limit - bound
            if gap < 0 or (turn > 1 and (bound - before) * _WORTHWHILE < gap):
                break
        return bound

    def _search(self, work: Workspace, steps: int) -> None:
        """Go on searching for some steps, until done or over."""
        while steps > 0 and work.state[DEPTH] >= 0 and not self.over:
            work.state[BUDGET], work.state[LEFT] = _STEP, _NEVER
            search(self.task, work, self.most)
            steps -= 1

    def _divide(self, level: int, bound: int) -> int:
        """Solve each child of the first open choice of the search as a problem of its own."""
        fixed, children = self._open_choice()
        if len(self.forms) == level + 1:
            self.forms.append(make_statement(self.size))
        lowest = _NEVER
        for number, (v, u, _) in enumerate(children):
            if children[number][2] > self.limit:
                break
            inherit(self.work, self.forms[level], self.forms[level + 1])
            for row, column in (*fixed, (v, u)):
                fix(self.work, self.forms[level + 1], row, column)
            lowest = min(lowest, self._solve(level + 1, bound))
            if self.over:
                rest = [low for _, _, low in children[number + 1 :]]
                return min([lowest, *(self._whole(low) for low in rest)])
        return min(lowest, int(self.work.state[UPPER]))

    def _open_choice(self) -> tuple[list[tuple[int, int]], list[tuple[int, int, int]]]:
        """The mappings that nothing else is left for, and the children (row, column, bound)."""
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
        others: NDArray[np.int64] = work.child[depth, 0, first : level[CHILDREN]]
        bounds = work.child[depth, 1, first : level[CHILDREN]].tolist()
        found = work.node[depth, 1 - side, others].tolist()
        pairs = [(other, line) if side == COLUMN else (line, other) for other in found]
        return fixed, [(v, u, low) for (v, u), low in zip(pairs, bounds, strict=True)]
