import pytest

import graphpool as gp
from graphpool.errors import ConfigError, DataError
from graphpool.limits import Limits, current_limits, use_limits


def test_a_limit_names_itself_and_how_to_raise_it():
    message = r"a\.jsonl, line 3: 12 nodes are over .* 11; .*GRAPHPOOL_LIMITS=nodes=12 or --limits"
    with pytest.raises(DataError, match=message):
        Limits(nodes=11).check("a.jsonl", "nodes", 12, line=3)
    Limits(nodes=12).check("a.jsonl", "nodes", 12)


def test_the_environment_and_a_block_set_limits(monkeypatch):
    monkeypatch.setenv("GRAPHPOOL_LIMITS", "nodes=1e9, edges=7")
    assert (current_limits().nodes, current_limits().edges) == (10**9, 7)
    with use_limits(Limits(edges=3)):
        assert current_limits() == Limits(edges=3)
        with use_limits(None):
            assert current_limits() == Limits(edges=3)
    assert current_limits().edges == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [("node=3", "did you mean 'nodes'"), ("nodes", "positive"), ("nodes=-1", "positive"),
     ("nodes=inf", "positive"), ("nodes=x", "positive")],
)  # fmt: skip
def test_a_wrong_limit_is_refused(text, message):
    with pytest.raises(ConfigError, match=message):
        Limits().with_settings(text)


@pytest.mark.parametrize("limits", [Limits(nodes=2), Limits(graphs=1), Limits(edges=1)])
def test_a_set_over_a_limit_is_refused_and_read_with_a_higher_one(tmp_path, limits):
    path = tmp_path / "a.jsonl"
    path.write_text('{"nodes": 2, "edges": [[0, 1]]}\n{"nodes": 1}\n')
    with use_limits(limits), pytest.raises(DataError, match="over the limit"):
        gp.read(path, cache=False)
    assert len(gp.read(path, cache=False)) == 2
