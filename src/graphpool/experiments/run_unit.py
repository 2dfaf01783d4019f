"""Run one unit: the one place where experiments meet the tasks."""

from dataclasses import replace

from graphpool.experiments.example_files import Graphs, Opened
from graphpool.experiments.machine import machine, provenance
from graphpool.experiments.records import Record
from graphpool.experiments.run_classification import run_classification
from graphpool.experiments.run_comparison import run_comparison
from graphpool.experiments.unit import Unit
from graphpool.files import strict_json


def run_unit(unit: Unit, examples: Opened) -> Record:
    """Train on the unit's training examples, choose on its validation examples, test once.

    It uses one thread unless `train.threads` says otherwise, so that units side by side don't
    take each other's cores and come out the same as one after the other.
    """
    found = (
        run_classification(unit, examples)
        if isinstance(examples, Graphs)
        else run_comparison(unit, examples)
    )
    return replace(empty_record(unit), **strict_json(found))


def empty_record(unit: Unit) -> Record:
    """A record of the unit with what is known before it runs."""
    device = "cpu" if unit.config is None else unit.config.train.device
    return Record(
        task=unit.task,
        data=unit.data.name,
        method=unit.method,
        kind=unit.kind,
        seed=unit.seed,
        fold=unit.fold,
        facts=unit.data.facts,
        settings=unit.settings,
        digest=unit.data.digest,
        machine=machine(device),
        versions=provenance(),
    )
