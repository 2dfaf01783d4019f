"""The examples of docs/scikit-learn.md run."""

from pathlib import Path

from pages import fenced, printed_by

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "scikit-learn.md").read_text("utf-8")


def test_the_examples_run_as_they_stand(tmp_path: Path) -> None:
    code = "\n".join(fenced(PAGE, "python"))
    printed = printed_by(code, tmp_path)
    assert "(60, 2)" in printed
    assert "{'pooler': " in printed
