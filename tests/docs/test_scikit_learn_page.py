"""The examples of docs/scikit-learn.md run."""

import subprocess
import sys
from pathlib import Path

from pages import fenced

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "scikit-learn.md").read_text("utf-8")


def test_the_examples_run_as_they_stand(tmp_path: Path) -> None:
    code = "\n".join(fenced(PAGE, "python"))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "(60, 2)" in done.stdout
    assert "{'pooler': " in done.stdout
