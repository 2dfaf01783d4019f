"""The records of an experiment in a project."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from graphpool.experiments.engine import find_finished
from graphpool.experiments.experiment import Experiment
from graphpool.experiments.plan import planned_cells
from graphpool.experiments.records import Record, RecordFile
from graphpool.experiments.unit import Unit

RESULTS = "results"


@dataclass(frozen=True)
class ExperimentRecords:
    """An experiment and its record file in a project."""

    experiment: Experiment
    project: Path

    @property
    def file(self) -> RecordFile:
        """The record file."""
        return self._file(self.experiment.name)

    @property
    def others(self) -> tuple[RecordFile, ...]:
        """Record files of experiments that it uses: what they measured is not measured again."""
        return tuple(self._file(name) for name in self.experiment.uses)

    def _file(self, name: str) -> RecordFile:
        return RecordFile(self.project / RESULTS / f"{name}.jsonl", name)

    @cached_property
    def units(self) -> dict[tuple[str, str], list[Unit]]:
        """Units by method and data, as the experiment calls them."""
        return planned_cells(self.experiment)

    @cached_property
    def records(self) -> dict[Unit, Record]:
        """Finished and failed units with exactly the settings of the experiment."""
        units = [unit for each in self.units.values() for unit in each]
        return find_finished(units, self.file, *self.others)

    def of(self, method: str, data: str) -> list[Record]:
        """Finished records of a cell."""
        units = self.units.get((method, data), [])
        found = (self.records.get(unit) for unit in units)
        return [record for record in found if record is not None and not record.error]
