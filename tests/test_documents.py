import json
from typing import Any, TypedDict

import pytest

from graphpool.documents import (
    parse_json,
    parse_toml,
    read_json,
    read_json_lines,
    read_lines,
    read_toml,
)
from graphpool.errors import CheckpointError, ConfigError, DataError
from graphpool.limits import Limits, use_limits


class Point(TypedDict):
    x: int
    name: str


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "brackets"),
        ('{"a":' * 100_000, "brackets"),
        ("[" * 65 + "]" * 65, "brackets"),
        ('["\\"]", ' + "[" * 80 + '"]]"', "brackets"),
        ("9" * 5000, "thousands of digits"),
        ('{"a": 1, "a": 2}', "'a' appears twice"),
        ('["\\ud800"]', "surrogate"),
        ('{"\\udfff": 1}', "surrogate"),
        ("{", "not JSON"),
        ("", "not JSON"),
    ],
)
def test_a_hostile_document_is_refused(tmp_path, text, message):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(CheckpointError, match=rf"a\.json: .*{message}.*; go on"):
        read_json(tmp_path / "a.json", error=CheckpointError, hint="go on")


@pytest.mark.parametrize(
    "value",
    [[[[1]]] * 100, {"a": "]" * 200 + "[" * 200}, ['"[[[' * 50, "\\", "[" * 99], "\U0001f600",
     [[]] * 1000],
)  # fmt: skip
def test_brackets_in_text_and_beside_each_other_are_not_deep(value):
    assert parse_json(json.dumps(value), "a") == value


def test_a_document_of_another_shape_is_refused():
    assert parse_json('{"x": 1, "name": "n"}', "a", Point) == {"x": 1, "name": "n"}
    for text, message in {
        "[]": "a table is needed",
        '{"x": 1}': "'name' is missing",
        '{"x": "1", "name": "n"}': r"a\.x: '1' is not of type int",
        '{"x": true, "name": "n"}': "True is not of type int",
        '{"x": 1, "name": "n", "nmae": 2}': "unknown key 'nmae'; did you mean 'name'",
        '{"x": 1, "name": "a\\u0000b"}': "UTF-8",
    }.items():
        with pytest.raises(DataError, match=message):
            parse_json(text, "a", Point)


def test_a_byte_order_mark_is_no_part_of_a_document(tmp_path):
    for name, text in {"a.json": "{}", "a.toml": "a = 1", "a.jsonl": "{}\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8-sig")
    assert read_json(tmp_path / "a.json") == {}
    assert read_toml(tmp_path / "a.toml") == {"a": 1}
    assert list(read_json_lines(tmp_path / "a.jsonl")) == [(1, {})]


def test_text_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"\n\xff\n")
    for read in (read_json, read_toml, lambda path: list(read_lines(path))):
        with pytest.raises((DataError, ConfigError), match=r"not UTF-8 text: .*save it as UTF-8"):
            read(path)


def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path):
    with pytest.raises(DataError, match="no such file; check the path"):
        read_json(tmp_path / "none")
    with pytest.raises(DataError, match="can't be read: Is a directory"):
        read_json(tmp_path)
    path = tmp_path / "large"
    path.write_text('"' + "x" * 100 + '"')
    small = Limits(document_bytes=50, settings_bytes=50, line_bytes=50)
    for read in (read_json, read_toml, lambda path: list(read_json_lines(path))):
        with use_limits(small), pytest.raises((DataError, ConfigError), match="limit of 50"):
            read(path)


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 100_000, "a." * 50_000 + "a = 1", "[" + "a." * 50_000 + "a]",
     "a = " + "{b = " * 5000,     '"a" . ' * 100 + "b = 1"],
)  # fmt: skip
def test_deep_toml_is_refused_at_once(text):
    with pytest.raises(ConfigError, match="inside each other"):
        parse_toml(text, "a.toml")


def test_dots_in_numbers_and_text_are_not_deep():
    text = f"a = {[0.5] * 200}\nb = \"{'.' * 200}\"\nc = '''\n{'x.' * 30}\n'''\n"
    found: dict[str, Any] = parse_toml(text, "a.toml")
    assert found["a"] == [0.5] * 200
    with pytest.raises(ConfigError, match="thousands of digits"):
        parse_toml("a = " + "9" * 5000, "a.toml")


def test_lines_that_are_damaged_are_reported_and_skipped(tmp_path):
    (tmp_path / "a").write_bytes(b'{"a": 1}\n\n{"b\n[1]\n\xff\n')
    with pytest.raises(DataError, match=r"line 3: not JSON"):
        list(read_json_lines(tmp_path / "a"))
    skipped = []
    lines = read_json_lines(tmp_path / "a", damaged=lambda number, *_: skipped.append(number))
    assert list(lines) == [(1, {"a": 1}), (4, [1])]
    assert skipped == [3, 5]
