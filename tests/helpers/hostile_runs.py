"""The files of a run folder, damaged and crafted, and the commands that read them."""

import contextlib
import io
from pathlib import Path

from hostile_variants import HostileFormat, craft_json, craft_lines, craft_text

from graphpool.cli.main import run

LINES = "".join(
    f'{{"id": "{number}", "node_labels": ["C", "{"NO"[number % 2]}"], "edges": [[0, 1]], '
    f'"y": "{"ab"[number % 2]}"}}\n'
    for number in range(20)
)
TRAIN = ("train", "graphs.jsonl", "--epochs", "1", "--hidden", "4", "--out", "run")
COMMANDS = {
    "report": ("report", "run", "--out", "report.html"),
    "predict": ("predict", "run", "graphs.jsonl", "--out", "answers.jsonl", "--overwrite"),
    "resume": (*TRAIN, "--resume"),
}


def make_run(folder: Path, name: str) -> Path:
    """Train a small model; return the path of one file of its folder."""
    (folder / "graphs.jsonl").write_text(LINES)
    code, said = command(folder, TRAIN)
    assert code == 0, said
    path = folder / "run" / name
    assert path.exists(), name
    return path


def command(folder: Path, words: tuple[str, ...]) -> tuple[int, str]:
    """Run a command in a folder, in this process; return its exit code and what it said."""
    said = io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
    ):
        try:
            run(list(words))
        except SystemExit as stop:
            return int(stop.code or 0), said.getvalue()
    return 0, said.getvalue()


def use_run(path: Path) -> None:
    """Report, predict and go on; each must end well, or with one line and exit code 2."""
    folder = path.parent.parent
    for name, words in COMMANDS.items():
        code, said = command(folder, words)
        last = said.strip().rpartition("\n")[2]
        problem = "Traceback" in said or code not in (0, 2)
        if problem or (code == 2 and not last.startswith("graphpool: error: ")):
            raise AssertionError(f"{name}: exit code {code}: {said[-1500:]}")


RUN_FILES = {
    "result.json": craft_json,
    "split.json": craft_json,
    "config.toml": craft_text,
    "events.jsonl": craft_lines,
}
RUN_FORMATS = {
    f"run/{name}": HostileFormat(lambda folder, name=name: make_run(folder, name), use_run, craft)
    for name, craft in RUN_FILES.items()
}
