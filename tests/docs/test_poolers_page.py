"""What docs/poolers.md says is so: its table is the registry's, its examples and commands run."""

import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from pages import fenced

from graphpool.cli.main import run
from graphpool.nn.zoo.build import count_parameters
from graphpool.nn.zoo.networks import BUILT_IN

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "poolers.md").read_text(encoding="utf-8")
blocks = partial(fenced, PAGE)


def table() -> str:
    """The table of all methods, as the page has it."""
    lines = [
        "| pooler | family | paper | keeps | cost | parameters |",
        "|---|---|---|---|---|---:|",
    ]
    for method in BUILT_IN:
        paper = method.paper if method.year is None else f"{method.paper} {method.year}"
        parameters = count_parameters(method.name)
        cells = (f"`{method.name}`", method.family, paper, method.keeps, method.cost,
                 "–" if parameters is None else f"{parameters:,}")  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def test_the_table_is_the_registrys() -> None:
    found = re.search(r"<!-- poolers: methods -->\n(.*?)\n<!-- end -->", PAGE, flags=re.DOTALL)
    assert found is not None
    assert found[1] == table()


@pytest.mark.parametrize("name", [method.name for method in BUILT_IN])
def test_every_method_has_its_paragraph(name: str) -> None:
    assert f"**`{name}`**" in PAGE


def test_the_example_of_an_own_pooler_has_ten_lines() -> None:
    (code,) = [code for code in blocks("python") if "register_pooler" in code]
    assert len([line for line in code.splitlines() if line]) <= 10


def test_python_runs(tmp_path: Path) -> None:
    # One after the other, as a reader would; the command line ends the program.
    code = "\n".join(blocks("python"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::UserWarning", "-c", code],
        capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "torch.Size([188, 4, 7])" in done.stdout
    assert "Test accuracy" in done.stdout
    assert (tmp_path / "runs" / "tempered" / "best.safetensors").exists()


def test_commands_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    listing, evaluate = (line.split()[1:] for block in blocks("sh") for line in block.splitlines())
    with pytest.raises(SystemExit) as stop:
        run(listing)
    assert stop.value.code == 0
    said = capsys.readouterr().out
    assert all(method.keeps in said for method in BUILT_IN)
    evaluate[evaluate.index("--epochs") + 1] = "1"
    with pytest.raises(SystemExit) as stop:
        run([*evaluate, "--protocol", "cv2", "--seeds", "1", "--jobs", "1", "--no-baselines",
             "--out", str(tmp_path)])  # fmt: skip
    assert stop.value.code == 0
    assert "sagpool" in (tmp_path / "results.md").read_text(encoding="utf-8")
