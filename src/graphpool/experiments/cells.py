"""Tables of experiments: which records stand in a cell, and how the cell reads."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from graphpool.errors import ConfigError
from graphpool.evaluation.metrics import LOWER_IS_BETTER
from graphpool.evaluation.significance import corrected_p_values
from graphpool.evaluation.statistics import TIE_DIGITS, Summary, mean, mean_ranks, summarise
from graphpool.experiments.costs import cost_text, unit_seconds
from graphpool.experiments.experiment import (
    COST,
    FACTS,
    MEAN_RANK,
    PLAIN,
    Block,
    Column,
    Experiment,
    Row,
)
from graphpool.experiments.experiment_records import ExperimentRecords
from graphpool.experiments.methods import check_known, family_of, main_metric
from graphpool.experiments.rankings import Ranking, p_text
from graphpool.experiments.records import Record
from graphpool.experiments.results import mean_health, overlap_of, paired_gain
from graphpool.experiments.tables import is_share, metric_text
from graphpool.experiments.text import NONE, table, three
from graphpool.tasks import find_task


class Grid:
    """The cells of a block."""

    def __init__(
        self, own: Experiment, block: Block, measured: Mapping[str, ExperimentRecords]
    ) -> None:
        self.own, self.block, self.measured = own, block, measured
        rows = block.rows or tuple(own.methods)
        columns = block.columns or tuple(entry.name for entry in own.data)
        self.rows = [Row(each) if isinstance(each, str) else each for each in rows]
        self.columns = [self._column(each) for each in columns]
        self._check_names()

    def _column(self, column: str | Column) -> Column:
        if not isinstance(column, Column):
            column = Column(self.own.entry(column).title or column, column)
        return column if column.metric else replace(column, metric=self._main(column))

    def _check_names(self) -> None:
        """Refuse names of methods, data and tests that no record can have."""
        where = f"{self.own.name}, block {self.block.name}"
        called = {name for row in self.rows for name in (row.method, row.against, *row.among)}
        methods: dict[str, None] = {}
        for column in self.columns:
            shown = [self.experiment(row, column) for row in self.rows]
            at = f"{where}, column {column.title!r}"
            for own in {each.experiment.name: each.experiment for each in shown}.values():
                methods |= dict.fromkeys([*own.methods, *column.methods])
                names = [entry.name for entry in own.data]
                for name in column.data.split(" / ") if column.data else ():
                    check_known(name, names, f"{at}: no data")
                for seed in column.seeds:
                    check_known(str(seed), map(str, own.seeds), f"{at}: no seed")
            for name in column.methods:
                check_known(name, called, f"{at}: no row has the method")
            self._check_test(column, at)
        if self.block.floor:
            check_known(self.block.floor, self.own.methods, f"{where}: floor: no method")
        for row in self.rows:
            for name in filter(None, (row.method, *row.among)):
                check_known(name, methods, f"{where}: no method")

    def _check_test(self, column: Column, where: str) -> None:
        """Refuse a test that no record of a column has, if there are records."""
        found = (record for row in self.rows for record in self.records(row, column))
        tests = {name for record in found for name in record.metrics}
        if column.test and tests:
            check_known(column.test, tests, f"{where}: no test")

    def _main(self, column: Column) -> str:
        """The metric that the data of a column are judged by."""
        name = column.experiment or self.own.name
        experiment = self.measured[name].experiment if name in self.measured else self.own
        sets = {entry.name: entry.set_name for entry in experiment.data}
        return main_metric(experiment.task, sets.get(column.data, ""))

    def experiment(self, row: Row, column: Column) -> ExperimentRecords:
        """The experiment that a cell is of."""
        name = row.experiment or column.experiment or self.own.name
        where = f"{self.own.name}, block {self.block.name}"
        check_known(name, self.measured, f"{where}: no experiment")
        return self.measured[name]

    @property
    def experiments(self) -> list[str]:
        """All experiments whose records are shown."""
        pairs = ((row, column) for row in self.rows for column in self.columns if column.data)
        return list(dict.fromkeys(self.experiment(*pair).experiment.name for pair in pairs))

    def records(self, row: Row, column: Column, method: str = "") -> list[Record]:
        """Records of a cell."""
        found = self.experiment(row, column)
        called = _called(method or row.method, column)
        names = column.data.split(" / ")
        records = (record for name in names for record in found.of(called, name))
        return [record for record in records if not column.seeds or record.seed in column.seeds]

    def values(self, row: Row, column: Column) -> list[float]:
        """What a cell is the mean of."""
        found = self.records(row, column)
        if column.metric == "seconds":
            return [record.seconds["test"] for record in found if "test" in record.seconds]
        if column.metric == COST:
            return unit_seconds(found)
        values = (record.metric(column.metric, column.test or None) for record in found)
        return [value for value in values if value is not None]

    def mean(self, row: Row, column: Column) -> float:
        """The mean of a cell; less than everything if it is empty."""
        values = self.values(row, column)
        return mean(values) if values else float("-inf")

    def rank(self, row: Row, column: Column) -> float:
        """A number that is larger for a better mean."""
        if column.metric == MEAN_RANK:
            return -self.mean_ranks.get(row, float("inf"))
        value = round(self.mean(row, column), TIE_DIGITS)
        return -value if column.metric in LOWER_IS_BETTER and self.values(row, column) else value

    @cached_property
    def contenders(self) -> list[Row]:
        """Rows of methods that can be ranked; no figures of gains."""
        return [row for row in self.rows if row.figure in PLAIN and row.ranked]

    @cached_property
    def ranked_columns(self) -> list[Column]:
        """Columns that methods are ranked by."""
        return [column for column in self.columns if column.metric not in FACTS]

    @cached_property
    def scores(self) -> dict[Row, list[float]]:
        """For each method whose ranked columns are all measured, numbers that are larger if better.

        A mean over some of the folds is not compared with means over all of them.
        """
        columns = self.ranked_columns
        return {
            row: [self.rank(row, column) for column in columns]
            for row in self.contenders
            if columns and all(self.is_whole(row, column) for column in columns)
        }

    @cached_property
    def mean_ranks(self) -> dict[Row, float]:
        """Mean ranks over the columns, 1 for the best."""
        return mean_ranks(self.scores)

    @cached_property
    def p_values(self) -> dict[tuple[Row, Column], float]:
        """Corrected p-values of all rows that show them; those of one column are one family."""
        rows = [row for row in self.rows if row.figure == "p"]
        return {
            (row, column): p
            for column in self.columns
            for row, p in corrected_p_values({row: self.gain(row, column) for row in rows}).items()
        }

    @cached_property
    def ranking(self) -> Ranking:
        """The methods and their scores, for tests and the picture."""
        if self.block.picture:
            self._check_picture()
        left_out = [self.title(row) for row in self.contenders if row not in self.scores]
        return Ranking(list(map(self.title, self.scores)), list(self.scores.values()), left_out)

    def _check_picture(self) -> None:
        """Refuse a picture of what can't be tested."""
        where = f"{self.own.name}, block {self.block.name}: picture"
        if len(set(self.contenders)) < 2 or len(self.ranked_columns) < 2:
            raise ConfigError(f"{where} needs at least two methods and two columns of data")
        sets = [self._set_name(column) for column in self.ranked_columns]
        for name in sets:
            if sets.count(name) > 1:
                raise ConfigError(
                    f"{where} needs a set of its own for every column, but two are of {name}; "
                    "move one to another block"
                )

    def _set_name(self, column: Column) -> str:
        """The set that the data of a column are, in whichever experiment."""
        return self.experiment(self.contenders[0], column).experiment.entry(column.data).set_name

    def gain(self, row: Row, column: Column) -> Summary | None:
        """Gain of the method of a row over the one that it is compared with."""
        methods = self.experiment(row, column).experiment.methods
        if column.data and _called(row.method, column) in methods:
            where = f"{self.own.name}, block {self.block.name}"
            check_known(_called(row.against, column), methods, f"{where}: against is")
        ours, theirs = self.records(row, column), self.records(row, column, row.against)
        overlap = 0.0 if row.figure == "plain error" else overlap_of(ours)
        return paired_gain(ours, theirs, overlap, column.test or None, column.metric)

    def title(self, row: Row) -> str:
        """What a row is called."""
        if row.title:
            return row.title
        for column in self.columns:
            methods = self.experiment(row, column).experiment.methods
            if row.method in methods:
                return methods[row.method].title or f"`{row.method}`"
        raise ConfigError(f"{self.own.name}, block {self.block.name}: no method {row.method!r}")

    def low(self, column: Column) -> list[Row]:
        """Rows whose mean is not above that of the method `floor`."""
        if not self.block.floor or column.metric not in find_task(self.own.task).columns:
            return []
        floor = self.rank(Row(self.block.floor), column)
        rows = [row for row in self.rows if row.method != self.block.floor]
        return [row for row in rows if self.values(row, column) and self.rank(row, column) <= floor]

    def cell(self, row: Row, column: Column) -> str:
        """The text of a cell."""
        if column.metric == "family":
            return self._family(row, column)
        if column.metric == "parameters":
            return self._parameters(row, column)
        if column.metric == MEAN_RANK:
            return self._mean_rank(row)
        if row.figure in PLAIN:
            published = self._published(row.paper, column) if row.paper else None
            beside = "" if published is None else f" *({published:.2f})*"
            return self._value(row, column) + beside
        if row.figure == "best":
            return self._best(row, column)
        if row.figure in ("clusters", "rank"):
            key = {"clusters": "level1/clusters", "rank": "level1/effective_rank"}[row.figure]
            health = mean_health(self.records(row, column))
            digits = 1 if row.figure == "clusters" else 2
            return f"{health[key]:.{digits}f}" if key in health else self.block.missing
        if row.figure == "p":
            p = self.p_values.get((row, column))
            return self.block.missing if p is None else p_text(p)
        gain = self.gain(row, column)
        return self.block.missing if gain is None else _gain_text(gain, row.figure, column.metric)

    def _family(self, row: Row, column: Column) -> str:
        own = self.experiment(row, column).experiment
        method = own.methods.get(_called(row.method, column))
        if method is None:
            return self.block.missing
        return family_of(method.rule or str(method.model["pooler"]), own.task)

    def _mean_rank(self, row: Row) -> str:
        if row not in self.mean_ranks:
            return self.block.missing
        rank = self.mean_ranks[row]
        best = self.block.bold and rank == min(self.mean_ranks.values())
        return f"**{rank:.2f}**" if best else f"{rank:.2f}"

    def _value(self, row: Row, column: Column) -> str:
        values = self.values(row, column)
        if not values:
            return self.block.missing
        if column.metric == "seconds":
            return three(mean(values))
        if column.metric == COST:
            return cost_text(self.records(row, column))
        summary = summarise(values)
        if row.figure == "mean":
            summary = replace(summary, std=None)
        text = metric_text(summary, column.metric, self.block.digits) + self._part(row, column)
        if self.block.bold and self.is_whole(row, column):
            whole = (each for each in self.rows if self.is_whole(each, column))
            best = max(self.rank(each, column) for each in whole)
            text = f"**{text}**" if self.rank(row, column) == best else text
        return f"{text} ↓" if row in self.low(column) else text

    def is_whole(self, row: Row, column: Column) -> bool:
        """Whether a cell has a value of every unit that is planned."""
        values = self.values(row, column)
        return bool(values) and len(values) >= self._planned(row, column)

    def _part(self, row: Row, column: Column) -> str:
        """How many units a cell has of those that are planned, if not all."""
        if self.is_whole(row, column):
            return ""
        return f" ({len(self.values(row, column))} of {self._planned(row, column)})"

    def _planned(self, row: Row, column: Column) -> int:
        """How many values a cell has when everything is measured."""
        units = self.experiment(row, column).units
        planned = units.get((_called(row.method, column), column.data), [])
        return sum(not column.seeds or unit.seed in column.seeds for unit in planned)

    def _best(self, row: Row, column: Column) -> str:
        """The best of several methods by its mean, and its name; whole cells come first."""
        methods = self.experiment(row, column).experiment.methods
        rows = [replace(row, method=name) for name in row.among if _called(name, column) in methods]
        rows = [each for each in rows if self.values(each, column)]
        if not rows:
            return self.block.missing
        whole = [each for each in rows if self.is_whole(each, column)]
        best = max(whole or rows, key=lambda each: self.rank(each, column))
        name = _called(best.method, column)
        title = methods[name].title or f"`{name}`"
        value = metric_text(summarise(self.values(best, column)), column.metric, self.block.digits)
        return f"{value}{self._part(best, column)} ({title})"

    def _parameters(self, row: Row, column: Column) -> str:
        found = self.experiment(row, column)
        called = _called(row.method, column)
        cells = (found.of(called, name) for name in column.data.split(" / "))
        counts = [max((each.parameters for each in cell), default=0) for cell in cells]
        return " / ".join(f"{count:,}" for count in counts) if any(counts) else NONE

    def _published(self, name: str, column: Column) -> float | None:
        """What the paper prints for a column."""
        values = self.own.paper.values[name]
        found: float | None = values.get(column.test, values.get(column.data))
        return found if column.metric == self._main(column) else None

    def paper_rows(self) -> list[list[str]]:
        """Rows of published values."""
        rows = []
        for name in self.block.paper:
            found = [self._published(name, column) for column in self.columns]
            cells = [self.block.missing if each is None else f"{each:.2f}" for each in found]
            rows.append([f"*{name}, as printed*", *cells])
        return rows

    def table(self) -> str:
        """The whole table."""
        if self.block.data_down:
            return self._table_of_data()
        rows = self.rows
        if self.block.sort:
            rows = sorted(rows, key=lambda row: -self.rank(row, self.columns[0]))
        lines = [
            [self.title(row), *(self.cell(row, column) for column in self.columns)] for row in rows
        ]
        head = (self.block.head, *(column.title for column in self.columns))
        return table(head, [*lines, *self.paper_rows()])

    def _table_of_data(self) -> str:
        """The table with a line for each column."""
        lines = [
            [column.title, *(self.cell(row, column) for row in self.rows)]
            for column in self.columns
        ]
        return table((self.block.head, *map(self.title, self.rows)), lines)


def _called(method: str, column: Column) -> str:
    """What a method of a row is called among the data of a column."""
    called: str = column.methods.get(method, method)
    return called


def _gain_text(gain: Summary, figure: str, metric: str) -> str:
    factor, digits = (100, 1) if is_share(metric) else (1, 3)
    if figure == "difference":
        return f"{factor * gain.mean:+.{digits}f}"
    if figure in ("error", "plain error"):
        return NONE if gain.error is None else f"{factor * gain.error:.{digits}f}"
    if gain.low is None or gain.high is None:
        return NONE
    return f"{factor * gain.low:+.{digits}f} … {factor * gain.high:+.{digits}f}"
