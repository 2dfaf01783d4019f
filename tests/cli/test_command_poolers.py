"""Poolers on the command line: listed with what they cost, and trained, told of and reported."""

import json
from pathlib import Path

import pytest

from graphpool.nn.zoo.build import METHODS
from graphpool.nn.zoo.pairs import PAIR_METHODS

QUICK = ("--epochs", "1", "--hidden", "8", "--threads", "1", "--out", "run")


def test_poolers_are_listed_with_family_paper_year_size_cost_and_what_they_keep(cli):
    rows = {row["name"]: row for row in json.loads(cli("list", "poolers", "--json").out)["poolers"]}
    assert list(rows) == [*METHODS, *PAIR_METHODS]
    assert rows["sagpool"]["parameters"] == 65
    assert (rows["sagpool"]["paper"], rows["sagpool"]["year"]) == ("Lee et al.", 2019)
    lines = cli("list", "poolers").out.splitlines()
    for name, row in rows.items():
        (line,) = [line for line in lines if line.startswith(f"{name} ")]
        told = [row[key] for key in ("family", "paper", "cost", "keeps")]
        assert all(str(word) in line for word in told if word is not None)


def test_something_else_to_list_is_refused(cli):
    done = cli("list", "colours")
    assert done.code == 2
    assert "there is no list 'colours'; known: " in done.err
    assert "poolers" in done.err


@pytest.mark.parametrize("pooler", ["sagpool", "asap", "hap-sagpool", "set2set", "gmt", "concat"])
def test_a_pooler_is_trained_told_of_and_reported(cli, small, pooler):
    done = cli("train", small, *QUICK, "--pooler", pooler)
    assert done.code == 0, done.err
    keeps = pooler in ("sagpool", "asap", "hap-sagpool")
    assert ("nodes of a test graph are kept" in done.out) == keeps
    reported = cli("report", "run")
    assert reported.code == 0, reported.err
    assert Path("run/report.html").exists()


def test_poolers_of_every_family_are_evaluated_side_by_side(cli, small):
    names = ("sagpool", "mincut", "sort", "hap-diffpool")
    done = cli("evaluate", small, "--methods", ",".join(names), "--epochs", "1", "--hidden", "8",
               "--protocol", "cv3", "--seeds", "1", "--jobs", "1", "--report",
               "--out", "run")  # fmt: skip
    assert done.code == 0, done.err
    assert all(name in done.out for name in names)
