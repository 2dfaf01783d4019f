"""Record files: what is written is read back, once, whatever happened in between."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from small import write_records

from graphpool.config import ModelConfig, TrainConfig, resolve_model, to_dict
from graphpool.errors import DataError
from graphpool.experiments.records import FORMAT, Record, RecordFile, completed

SETTINGS = {"features": "auto", "model": {"pooler": "sum"}, "train": {"epochs": 3}}
RECORD = Record(
    task="classification", data="toy", method="sum", kind="network", seed=0, fold=0,
    facts={"set": "toy", "protocol": "cv10"}, settings=SETTINGS,
    metrics={"test": {"accuracy": 0.5, "balanced_accuracy": None}}, seconds={"train": 1.0},
    machine={"processor": "A chip", "cores": 2}, versions={"torch": "2", "code": "abc"},
    command="test",
)  # fmt: skip


def kinds(path: Path) -> list[str]:
    return [next(iter(json.loads(line))) for line in path.read_text().splitlines()]


def test_records_read_back_equal_and_share_what_is_shared(tmp_path: Path) -> None:
    path = tmp_path / "toy.jsonl"
    records = [RECORD, replace(RECORD, fold=1), replace(RECORD, fold=2, error="no", metrics={})]
    for record in records:
        RecordFile(path, "toy").append(record)  # as three processes, one after the other
    assert RecordFile(path).read() == records
    assert kinds(path) == ["format", "facts", "settings", "unit", "unit", "unit"]
    first = json.loads(path.read_text().splitlines()[0])
    assert (first["format"], first["experiment"]) == (FORMAT, "toy")


def test_another_machine_adds_a_header(tmp_path: Path) -> None:
    path = tmp_path / "toy.jsonl"
    there = replace(RECORD, fold=1, machine={"processor": "Another", "cores": 8})
    write_records(path, [RECORD, there], "toy")
    assert kinds(path) == ["format", "facts", "settings", "unit", "format", "unit"]
    assert [record.machine["cores"] for record in RecordFile(path).read()] == [2, 8]


def test_the_last_record_of_a_unit_counts(tmp_path: Path) -> None:
    path = tmp_path / "toy.jsonl"
    write_records(path, [replace(RECORD, error="no luck", metrics={}), RECORD], "toy")
    assert RecordFile(path).latest() == {RECORD.key: RECORD}


def test_settings_that_came_later_are_at_their_defaults() -> None:
    whole = completed(SETTINGS)
    assert whole["model"] == {**to_dict(resolve_model(ModelConfig("hap-one-way"))), "pooler": "sum"}
    assert whole["train"]["epochs"] == 3
    assert whole["train"]["batch_size"] == TrainConfig().batch_size
    assert "device" not in whole["train"]
    later = replace(RECORD, settings=whole)
    assert later.key == RECORD.key
    other = {**whole, "model": {**whole["model"], "dropout": 0.5}}
    assert replace(RECORD, settings=other).key != RECORD.key


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "toy.jsonl"
    path.write_text('{"format": "graphpool records 9"}\n')
    with pytest.raises(DataError, match="its format is 'graphpool records 9'"):
        RecordFile(path).read()
