"""The README's examples run as they stand, and its links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def run_example(number, folder):
    """What an example of Python prints."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[number]
    command = [sys.executable, "-c", example]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_of_classification_runs(tmp_path):
    printed = run_example(0, tmp_path)
    assert float(re.search(r"accuracy (\S+)", printed)[1]) > 0.6
    assert (tmp_path / "mutag.safetensors").exists()


def test_the_example_of_edit_distance_runs(tmp_path):
    first, *path = run_example(1, tmp_path).splitlines()
    # By hand: the bond to O, an atom, and a C or O that becomes N.
    assert first == "3.0 3.0 3.0 True"
    assert path[0] in ("delete edge 0-1", "delete edge 1-2")
    assert len(path) == 3


def test_links_between_pages_lead_to_files():
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if not link.startswith("http"):
                assert (page.parent / link).exists(), f"{page.name}: {link}"
