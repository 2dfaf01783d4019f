"""Damaged and crafted files of a run folder: commands end well, or with one line and code 2."""

import random
from pathlib import Path

import pytest
from hostile_runs import COMMANDS, RUN_FILES, RUN_FORMATS, command, make_run
from hostile_variants import DOCUMENTS, variants


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    make_run(folder, "config.toml")
    return folder


@pytest.mark.parametrize("name", RUN_FILES)
def test_a_hostile_file_of_a_run_is_one_line(folder: Path, name: str) -> None:
    path = folder / "run" / name
    before, form = path.read_bytes(), RUN_FORMATS[f"run/{name}"]
    craft = random.Random(name)
    try:
        for text in ("[" * 100_000, '{"test": 5}'):
            path.write_text(text)
            for words in COMMANDS.values():
                code, said = command(folder, words)
                assert "Traceback" not in said
                assert code in (0, 2)
                assert code == 0 or said.strip().rpartition("\n")[2].startswith("graphpool: error:")
        path.write_bytes(before)
        form.craft(path, craft)
        form.open(path)
    finally:
        path.write_bytes(before)


@pytest.mark.faults
@pytest.mark.parametrize("name", RUN_FILES)
def test_many_hostile_files_of_a_run(name: str, tmp_path: Path, record_property) -> None:
    form = RUN_FORMATS[f"run/{name}"]
    path, count = form.make(tmp_path), len(DOCUMENTS) + 40
    for variant in variants(form, path, seed=1, count=count):
        form.open(variant)
    record_property("files", count)
