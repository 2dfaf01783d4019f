"""Commands that can be killed, and a small set of graphs."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from killing import Commands

from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.load import load


@pytest.fixture
def commands(tmp_path: Path, record_property: Callable[[str, object], None]) -> Iterator[Commands]:
    commands = Commands(tmp_path)
    graphs = load("MUTAG", features=None)
    write_jsonl(graphs[list(range(60))], tmp_path / "small.jsonl")
    yield commands
    log = commands.log.read_text() if commands.log.exists() else ""
    record_property("kills", commands.kills)
    record_property("commands", commands.started - commands.kills)
    record_property("tracebacks", log.count("Traceback (most recent call last)"))
