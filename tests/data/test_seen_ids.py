"""Ids that come twice are found, with the line of the first."""

import pytest

from graphpool.data.seen_ids import SeenIds


@pytest.mark.parametrize("database", [":memory:", ""])
def test_the_line_of_the_first_is_known(database: str) -> None:
    seen = SeenIds(database)
    assert seen.add("a", 3) is None
    assert seen.add("é\0b", None) is None
    assert seen.add("A", 4) is None
    assert seen.add("a", 5) == 3
    assert seen.add("é\0b", 9) == 0
