"""The example of docs/parts.md runs as it stands, and its numbers are those of the code."""

import re
from pathlib import Path

from graphpool.graphs.parts.colours import LONGEST_RING
from graphpool.graphs.parts.learn import FEWEST, LEAST, RAREST, STARTS
from graphpool.graphs.parts.recurring import LARGEST

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "parts.md").read_text(encoding="utf-8")


def test_example_runs() -> None:
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(code, "parts.md", "exec"), names)
    assert names["again"].digest == names["parts"].digest  # type: ignore[attr-defined]


def test_numbers_are_those_of_the_code() -> None:
    words = " ".join(TEXT.split())
    assert f"no cycle of at most {LONGEST_RING} nodes" in words
    assert f"more than {LARGEST} nodes" in words
    assert (RAREST, FEWEST, LEAST, STARTS) == (0.001, 10, 0.001, 6)
