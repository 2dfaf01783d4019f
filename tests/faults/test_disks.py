"""Full and read-only disks, as small file systems of their own: one line, exit code 2."""

import subprocess
import sys

import pytest
from killing import Commands

pytestmark = pytest.mark.faults

_RUN = "from graphpool.cli.main import run; run()"
_DISKS = {
    "full": 'mount -t tmpfs -o size=64k none "$0" && head -c 62000 /dev/zero > "$0/fill"',
    "read-only": 'mount -t tmpfs -o ro none "$0"',
}
QUICK = ("--epochs", "1", "--hidden", "8")
COMMANDS = {
    "train": ("train", "small.jsonl", *QUICK, "--out", "disk/run"),
    "import": ("data", "import", "small.jsonl", "--out", "disk/all.safetensors"),
    "predict": ("predict", "run", "small.jsonl", "--out", "disk/all.jsonl"),
    "report": ("report", "run", "--out", "disk/report.html"),
    "evaluate": ("evaluate", "small.jsonl", "--methods", "sum", *QUICK, "--jobs", "1", "--out",
                 "disk/ev"),
    "matrix": ("ged", "matrix", "small.jsonl", "--method", "label", "--out", "disk/m.ged"),
}  # fmt: skip


def on_disk(commands: Commands, kind: str, *arguments: str) -> tuple[int, str, str]:
    """Run a command with a file system of its own at `disk`; return code, output and errors."""
    disk = commands.folder / "disk"
    disk.mkdir()
    words = [sys.executable, "-c", _RUN, *arguments]
    script = f'{_DISKS[kind]} || exit 99; "$@"; code=$?; find "$0" -type f; exit $code'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, str(disk), *words],
        cwd=commands.folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    commands.started += 1
    if done.returncode == 99 or "unshare:" in done.stderr:
        pytest.skip("this system does not let a test mount a file system")
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("kind", "problem"),
    [("full", "the disk is full"), ("read-only", "the file system is read-only")],
)
def test_a_disk_that_takes_nothing_is_one_line_with_the_path(
    commands: Commands, command: str, kind: str, problem: str
) -> None:
    if command in ("predict", "report"):
        commands.timed("train", "small.jsonl", *QUICK, "--out", "run")
    code, out, err = on_disk(commands, kind, *COMMANDS[command])
    assert code == 2, err
    last = err.splitlines()[-1]
    assert "Traceback" not in err
    assert last.startswith("graphpool: error: ")
    assert "disk/" in last
    assert f"can't be written: {problem};" in last
    assert "choose another path (--out)" in last
    files = [line for line in out.splitlines() if line.startswith(str(commands.folder))]
    assert not [file for file in files if ".tmp" in file or ".lock" in file]


def test_a_cache_on_a_full_disk_is_left_out_with_one_warning(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHPOOL_CACHE", str(commands.folder / "disk"))
    code, _, err = on_disk(commands, "full", "data", "show", "small.jsonl")
    assert code == 0, err
    assert err.count("parsed sets are not cached") == 1
