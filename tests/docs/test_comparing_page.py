"""docs/comparing.md says what the results say, and the commands that make them run."""

import importlib
import json
import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from graphpool.config import ModelConfig
from graphpool.data.load import distances, load
from graphpool.data.pairs.sampling import count_triplets, sample_triplets
from graphpool.features.pipeline import FeaturePipeline
from graphpool.ged.collection import collect
from graphpool.ged.duplicates import isomorphic
from graphpool.nn.zoo.pairs import build_pair_model

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
MADE = {
    "machine": {"processor": "A chip", "cores": 2},
    "versions": {"python": "3.12.1", "torch": "2.11.0", "code": "abc"},
}


def script(monkeypatch: pytest.MonkeyPatch, name: str) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module(name)


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return script(monkeypatch, "comparison_pages")


@pytest.fixture
def matching(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return script(monkeypatch, "matching")


# ---------------------------------------------------------------------- the page


def test_tables_are_those_of_the_results(pages: ModuleType) -> None:
    files = {name: pages.read(path) for name, path in pages.FILES.items()}
    assert pages.filled(PAGE, files) == PAGE, "run benchmarks/comparison_pages.py"
    assert pages.filled(README, files) == README, "run benchmarks/comparison_pages.py"


def test_every_table_has_its_place(pages: ModuleType) -> None:
    assert sorted(re.findall(r"<!-- comparing: ([\w-]+) -->", PAGE + README)) == sorted(
        pages.BLOCKS
    )


def unit(data: str, method: str, seed: int, metrics: Any, kind: str = "network") -> dict[str, Any]:
    return {
        "data": data, "method": method, "kind": kind, "seed": seed, "metrics": metrics,
        "seconds": {"train": 1.0, "test": 2.0}, "facts": 0, "settings": 0, "made": 0,
    }  # fmt: skip


def test_cells_are_means_and_the_best_is_bold(pages: ModuleType) -> None:
    units = [
        unit("paper-20", "hap", seed, {"20": {"accuracy": value}})
        for seed, value in enumerate((0.98, 0.99, 1.0))
    ]
    units += [unit("paper-20", "sum", seed, {"20": {"accuracy": 0.5}}) for seed in range(2)]
    units += [unit("paper-20", "size", 0, {"20": {"accuracy": 1.0}}, kind="rule")]
    train = {"epochs": 7, "batch_size": 32, "learning_rate": 0.003}
    found = {
        "units": units, "made": [MADE], "settings": [{"train": train}],
        "examples": [{"train": 1000, "valid": 125, "test": 2000}],
    }  # fmt: skip
    text = pages.BLOCKS["paper"](pages.Results({"matching": found}))
    assert "| `hap` | 99.00 ± 1.00 | – | – | – |" in text
    assert "| `sum` (SumPool) | 50.00 ± 0.00 (2) |" in text
    assert "| rule: numbers of nodes | **100.00** |" in text
    assert "| *HAP, as printed* | 98.42 | 98.83 | 99.43 | 99.83 |" in text
    assert "7 epochs in batches of 32" in text
    assert "A chip (2 cores), Python 3.12.1, torch 2.11.0, code `abc`" in text.replace("\n", " ")


def test_rankings_are_ordered_and_have_their_seconds(pages: ModuleType) -> None:
    def metrics(accuracy: float) -> dict[str, Any]:
        names = ("spearman", "kendall", "precision@10", "precision@20")
        return {"ranking": {"accuracy": accuracy, **dict.fromkeys(names, 0.5)}}

    units = [unit("LINUX", "sum", 0, metrics(0.9)), unit("LINUX", "hap", 0, metrics(0.95))]
    units += [unit("LINUX", "beam80", 0, metrics(0.99), kind="edit distance")]
    found = {
        "units": units, "made": [MADE], "examples": [{"train": 9, "valid": 1}],
        "settings": [{"train": {"epochs": 1, "batch_size": 2, "learning_rate": 0.1}}],
    }  # fmt: skip
    text = pages.BLOCKS["linux"](pages.Results({"similarity": found}))
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")][2:]
    assert rows == ["*edit distance, Beam80*", "`hap`", "`sum` (SumPool)", "*HAP, as printed*"]
    assert "| `hap` | 95.00 | 0.500 | 0.500 | 0.500 | 0.500 | 2 |" in text


def test_what_the_page_says_of_the_sets(data_root: Path) -> None:
    known = {
        "AIDS700nef": ("9 of 140", "18.8 million"),
        "LINUX": ("195 of its 200", "51.8 million"),
    }
    for name, (twins, triplets) in known.items():
        graphs = load(name, root=data_root, features=None)
        apart = distances(name, data_root).of(graphs)
        classes = isomorphic(collect(graphs, edge_labels=False))
        shared = int(np.isin(classes[apart.test], classes[apart.train]).sum())
        assert twins in PAGE
        assert re.findall(r"\d+", twins) == [str(shared), str(len(apart.test))]
        count = count_triplets(apart.values, apart.test, apart.train).triplets
        assert triplets == f"{count / 1e6:.1f} million"
        assert triplets in PAGE
    assert f"{len(graphs):,} graphs and {len(set(classes.tolist()))} different ones" in PAGE


def test_the_papers_numbers_are_those_of_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    paper = ROOT.parent / "shared" / "paper" / "hap.tex"
    if not paper.exists():
        pytest.skip("the paper's source is not here")
    titles = script(monkeypatch, "comparison_titles")
    text = re.sub(r"[\s\\]|textbf|[{}]", "", paper.read_text(encoding="utf-8"))
    for name in ("sizes", "larger", "modules"):
        for row in titles.PAPER[name].values():
            written = "&".join(f"{value:.2f}" for value in row)
            assert written in text or written.replace("98.40", "98.4") in text, row
    for row in titles.PAPER["slots"].values():
        assert "&".join(f"{value:.2f}" for value in row) in text, row


# ---------------------------------------------------------------------- the commands


def tiny(out: Path, *more: str) -> list[str]:
    return [
        "--balanced", "--sizes", "10", "--hardness", "easy", "--methods", "sum", "degrees",
        "--seeds", "0", "--epochs", "1", "--examples", "20", "--test", "10", "--out", str(out),
        "--work", str(out.parent / "work"), *more,
    ]  # fmt: skip


def test_results_are_kept_and_carried_over(
    matching: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a" / "matching.json"
    assert matching.main(tiny(out)) == 0
    assert "balanced-easy-10, sum, seed 0:" in capsys.readouterr().out
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [(one["method"], one["kind"]) for one in found["units"]] == [
        ("sum", "network"), ("degrees", "rule"),
    ]  # fmt: skip
    assert found["examples"][0]["train"] == 20
    assert found["commands"][0].startswith("python benchmarks/matching.py --balanced")
    # Another folder, as on another machine, goes on from the file alone.
    there = tmp_path / "b" / "matching.json"
    assert matching.main(tiny(there, "--kept", str(out))) == 0
    assert capsys.readouterr().out.startswith("2 of 2 units")
    again = json.loads(there.read_text(encoding="utf-8"))
    assert again["units"] == found["units"]


def test_all_tables_are_planned(matching: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[Any] = []
    monkeypatch.setattr(
        matching, "measure", lambda name, units, given, words: planned.extend(units) or 0
    )
    assert matching.main([]) == 0
    networks = {(one.data.name, one.method) for one in planned if one.config is not None}
    assert {data for data, _ in networks} == {
        *(f"paper-{size}" for size in (20, 30, 40, 50)), "paper-20-30-40-50",
        *(f"balanced-{kind}-{size}" for kind in ("easy", "medium", "hard") for size in (20, 50)),
    }  # fmt: skip
    for method in ("hap", "hap-paper", "hap-euclidean", "flat", "sum", "gmn", "gmn-hap"):
        assert ("balanced-hard-50", method) in networks
    assert {one.data.seed for one in planned} == {0, 1, 2}
    paper = next(one for one in planned if one.data.name == "paper-20")
    assert (paper.data.train, paper.data.valid, paper.data.test) == (1000, 125, 2000)
    large = next(one for one in planned if one.data.name == "paper-20-30-40-50")
    assert large.data.sizes == (100, 101, 200, 201)


def test_triplets_are_ranked_by_networks_and_rules(
    monkeypatch: pytest.MonkeyPatch, data_root: Path, tmp_path: Path
) -> None:
    similarity = script(monkeypatch, "similarity")
    out = tmp_path / "similarity.json"
    words = [
        "--sets", "AIDS700nef", "--methods", "sum", "label-edge", "--seeds", "0", "1",
        "--epochs", "1", "--examples", "50", "--data-root", str(data_root), "--out", str(out),
        "--work", str(tmp_path / "work"),
    ]  # fmt: skip
    assert similarity.main(words) == 0
    units = json.loads(out.read_text(encoding="utf-8"))["units"]
    # A rule is the same for every seed of a published split.
    assert [(one["method"], one["seed"]) for one in units] == [
        ("sum", 0), ("sum", 1), ("label-edge", 0),
    ]  # fmt: skip
    assert units[2]["metrics"]["ranking"]["accuracy"] == pytest.approx(0.823, abs=5e-4)


def test_three_graphs_a_triplet_are_the_same_computation(
    monkeypatch: pytest.MonkeyPatch, data_root: Path
) -> None:
    throughput = script(monkeypatch, "triplet_throughput")
    graphs = load("AIDS700nef", root=data_root, features=None)[:40]
    known = distances("AIDS700nef", data_root).of(graphs)
    ready = FeaturePipeline("labels+logdegree").fit(graphs).transform(graphs)
    every = np.arange(40)
    triplets = sample_triplets(ready, known.complete().values, every, every, 30, 0)
    settings = replace(ModelConfig(hidden_channels=8, num_layers=1), pooler="hap")
    assert ready.x is not None
    model = build_pair_model(settings, ready.x.shape[1], 9.0).eval()
    index = torch.arange(30)
    found = []
    for form in (throughput.once, throughput.thrice):
        batch = form(triplets, index)
        apart = [
            model.compare(batch.graphs, batch.query, other).distances
            for other in (batch.first, batch.second)
        ]
        found.append(torch.cat(apart))
    assert throughput.thrice(triplets, index).graphs.ptr.shape[0] == 3 * 30 + 1
    torch.testing.assert_close(found[0], found[1], rtol=1e-4, atol=1e-5)
