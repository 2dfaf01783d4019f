import pytest
import torch

from graphpool.config import CompareConfig, RunConfig, TrainConfig
from graphpool.data import load as datasets
from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.errors import ConfigError, DataError
from graphpool.tasks.matching import MatchingTask


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHPOOL_CACHE", str(tmp_path / "cache"))


def asked(data="matching-paper-8", seed=0, **compare):
    counts = {"examples": 12, "valid": 4, "test": 6, **compare}
    return RunConfig(
        task="matching",
        data=data,
        train=TrainConfig(seed=seed),
        compare=CompareConfig(**counts),
    )


def same(one, other):
    return all(torch.equal(getattr(one, key), getattr(other, key)) for key in ("left", "y")) and (
        torch.equal(one.graphs.edge_index, other.graphs.edge_index)
    )


def test_parts_are_drawn_from_seeds_of_their_own():
    data = MatchingTask.open(asked(seed=3))
    parts = (data.train, data.valid, data.test)
    assert [len(part) for part in parts] == [12, 4, 6]
    for number, part in enumerate(parts):
        drawn = matching_pairs("paper", 8, len(part), seed=30 + number, verify=False)
        assert same(part, drawn)
    facts = data.facts["parts"]
    assert [facts[part]["seed"] for part in ("train", "valid", "test")] == [30, 31, 32]
    assert facts["train"]["matching"] == 6
    assert len({facts[part]["digest"] for part in facts}) == 3


def test_the_same_settings_have_the_same_facts_and_others_do_not():
    assert MatchingTask.open(asked()).facts == MatchingTask.open(asked()).facts
    assert MatchingTask.open(asked()).facts != MatchingTask.open(asked(seed=1)).facts


def test_drawn_pairs_are_kept_and_a_damaged_file_is_drawn_again(tmp_path, monkeypatch, caplog):
    made = datasets.pairs("matching-paper-8", 6, seed=1)
    kept = sorted((tmp_path / "cache" / "sets").iterdir())
    assert len(kept) == 2
    with monkeypatch.context() as patch:
        patch.setattr("graphpool.data.synthetic.matching.build.matching_pairs", None)
        assert same(datasets.pairs("matching-paper-8", 6, seed=1), made)
    pairs = next(path for path in kept if ".graphs." not in path.name)
    pairs.write_bytes(pairs.read_bytes()[:-3])
    assert same(datasets.pairs("matching-paper-8", 6, seed=1), made)
    assert "built again" in caplog.text
    assert same(datasets.pairs("matching-paper-8", 6, seed=1, cache=False), made)


@pytest.fixture
def own(tmp_path):
    graphs = datasets.load("MUTAG", features=None)[list(range(40))]
    path = tmp_path / "own.jsonl"
    write_jsonl(graphs, path)
    lines = [f"{graphs.ids[2 * i]},{graphs.ids[2 * i + 1]},{i % 2}" for i in range(20)]
    (tmp_path / "pairs.csv").write_text("\n".join(lines))
    return path


def test_pairs_of_a_file_are_cut_by_graphs(own, tmp_path):
    config = asked(str(own), pairs=str(tmp_path / "pairs.csv"))
    data = MatchingTask.open(config)
    used = [{*part.left.tolist(), *part.right.tolist()} for part in (data.train, data.valid)]
    tested = {*data.test.left.tolist(), *data.test.right.tolist()}
    assert [len(data.train), len(data.valid), len(data.test)] == [16, 2, 2]
    assert not used[0] & used[1]
    assert not (used[0] | used[1]) & tested
    assert data.source is not None
    assert set(data.source.held_out) == tested
    assert "20 groups" in data.notes[1]


def test_answers_that_are_all_the_same_are_refused(own, tmp_path):
    text = (tmp_path / "pairs.csv").read_text().replace(",0", ",1")
    (tmp_path / "same.csv").write_text(text)
    with pytest.raises(DataError, match="all pairs that train have the same answer"):
        MatchingTask.open(asked(str(own), pairs=str(tmp_path / "same.csv")))


def test_settings_without_pairs_or_with_two_kinds_are_refused(own, tmp_path):
    with pytest.raises(ConfigError, match="Give --pairs FILE"):
        MatchingTask.open(asked(str(own)))
    with pytest.raises(ConfigError, match="draws its own pairs"):
        MatchingTask.open(asked(pairs=str(tmp_path / "pairs.csv")))
    with pytest.raises(DataError, match="--task matching"):
        datasets.load("matching-paper-8")
