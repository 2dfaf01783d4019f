"""What the cells of a file hold is found out chunk by chunk."""

import pytest

from graphpool.data.molecules.values import ValueReader


def looked(*chunks: list[str]) -> ValueReader:
    reader = ValueReader(["y"])
    for cells in chunks:
        reader.look(cells)
    return reader


def percent(count: int) -> list[str]:
    return [f"{number / 10}%" for number in range(count)]


@pytest.mark.parametrize("count", [18, 5000])
def test_different_numbers_with_a_sign_are_no_classes_in_any_chunk(count: int) -> None:
    cells = percent(count)
    assert not looked(cells).has_classes
    assert not looked(cells[: count // 2], cells[count // 2 :]).has_classes


def test_a_few_words_that_look_like_numbers_are_classes() -> None:
    assert looked(["5%", "10%"] * 20, ["5%"] * 20).has_classes
    assert looked(["toxic"] * 30, ["7%"]).has_classes
