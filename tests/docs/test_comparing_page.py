"""What the pages about comparing say of sets, of the paper and of the benchmark is so."""

import importlib
import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from graphpool.config import ModelConfig
from graphpool.data.load import distances, load
from graphpool.data.pairs.sampling import count_triplets, sample_triplets
from graphpool.experiments.experiment_file import list_experiments
from graphpool.features.pipeline import FeaturePipeline
from graphpool.ged.collection import collect
from graphpool.ged.duplicates import isomorphic
from graphpool.nn.zoo.pairs import build_pair_model

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "comparing-method.md").read_text(encoding="utf-8")


def script(monkeypatch: pytest.MonkeyPatch, name: str) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module(name)


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


def test_the_papers_numbers_are_those_of_its_tables() -> None:
    paper = ROOT.parent / "shared" / "paper" / "hap.tex"
    if not paper.exists():
        pytest.skip("the paper's source is not here")
    text = re.sub(r"[\s\\]|textbf|[{}]", "", paper.read_text(encoding="utf-8"))
    experiments = list_experiments(ROOT)
    for name in ("matching-paper", "matching-large", "modules", "ablation"):
        for row in experiments[name].paper.values.values():
            written = "&".join(f"{value:.2f}" for value in row.values())
            assert written in text or written.replace("98.40", "98.4") in text, (name, row)


def test_three_graphs_a_triplet_are_the_same_computation(
    monkeypatch: pytest.MonkeyPatch, data_root: Path
) -> None:
    throughput = script(monkeypatch, "triplet_throughput")
    graphs = load("AIDS700nef", root=data_root, features=None)[:40]
    known = distances("AIDS700nef", data_root).of(graphs)
    ready = FeaturePipeline("labels+logdegree").fit(graphs).transform(graphs)
    every = np.arange(40)
    triplets = sample_triplets(ready, known.complete().values, every, every, 30, 0)
    settings = replace(ModelConfig(hidden_channels=8, num_layers=1), pooler="hap-one-way")
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
