"""Commands that can be killed, and a small set of graphs."""

from pathlib import Path

import pytest
from killing import Commands

from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.load import load


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    commands = Commands(tmp_path)
    graphs = load("MUTAG", features=None)
    write_jsonl(graphs[list(range(60))], tmp_path / "small.jsonl")
    return commands
