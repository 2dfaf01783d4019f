"""The one grammar of splits."""

import pytest

from graphpool.config.split_spec import SPLITS, parse_split
from graphpool.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "kind", "column", "shares", "folds"),
    [
        ("published", "published", "", (8, 1, 1), 1),
        ("scaffold", "scaffold", "", (8, 1, 1), 1),
        ("scaffold:7:1:2", "scaffold", "", (7, 1, 2), 1),
        ("random:80:10:10", "random", "", (80, 10, 10), 1),
        ("paper", "random", "", (8, 1, 1), 1),
        ("cv5", "cv", "", (8, 1, 1), 5),
        ("cv5:patient id", "cv", "patient id", (8, 1, 1), 5),
        ("column:part", "column", "part", (8, 1, 1), 1),
        ("group:a:b", "group", "a:b", (8, 1, 1), 1),
        ("group:a:6:2:2", "group", "a", (6, 2, 2), 1),
        ("time:year", "time", "year", (8, 1, 1), 1),
        ("folds.json", "own", "", (8, 1, 1), 1),
        ("some/folder", "own", "", (8, 1, 1), 1),
    ],
)
def test_every_form_is_read(text, kind, column, shares, folds):
    spec = parse_split(text)
    assert (spec.kind, spec.column, spec.shares, spec.folds) == (kind, column, shares, folds)
    assert spec.text == text


def test_a_word_that_exists_as_a_file_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folds").mkdir()
    assert parse_split("folds").kind == "own"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("publised", "did you mean 'published'"),
        ("zzz", "unknown split 'zzz'; known: published, scaffold"),
        ("", "unknown split"),
        (5, "split is 5; give text"),
        (["cv5"], "give text"),
        ("a\0b.json", "unknown split"),
        ("cv", "unknown split"),
        ("cv05", "unknown split"),
        ("group", "give the name of a column, such as group:NAME"),
        ("time:", "give the name of a column"),
        ("scaffold:murcko", "scaffold takes no 'murcko'"),
        ("published:8:1:1", "published has no shares"),
        ("random:8:1:0", "every part needs a share"),
    ],
)
def test_what_is_unknown_is_an_error_that_names_what_is_known(text, message):
    with pytest.raises(ConfigError, match=message):
        parse_split(text)


def test_all_forms_are_described():
    words = {name.partition(":")[0] for name in SPLITS}
    assert words == {"published", "scaffold", "random", "cvN", "group", "column", "time", "FILE"}
