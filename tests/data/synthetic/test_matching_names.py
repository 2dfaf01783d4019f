import pytest

from graphpool.data.synthetic.matching import matching_pairs, parse_matching_name
from graphpool.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "kind", "nodes", "hardness", "edit"),
    [
        ("matching-paper-20", "paper", (20,), "easy", None),
        ("matching-paper-20-30-40-50", "paper", (20, 30, 40, 50), "easy", None),
        ("matching-balanced-hard-20", "balanced", (20,), "hard", None),
        ("matching-balanced-medium-rewire-20-50", "balanced", (20, 50), "medium", "rewire"),
        ("matching-balanced-20", "balanced", (20,), "easy", None),
    ],
)
def test_a_name_says_how_pairs_are_drawn(name, kind, nodes, hardness, edit):
    found = parse_matching_name(name)
    assert (found.kind, found.nodes, found.hardness, found.edit) == (kind, nodes, hardness, edit)


@pytest.mark.parametrize(
    "name", ["matching-paper-10-12", "matching-balanced-hard-10", "matching-balanced-easy-none-10"]
)
def test_drawn_pairs_have_the_name_they_were_asked_for_by(name):
    pairs = matching_pairs(**parse_matching_name(name).arguments(4, seed=1), verify=False)
    assert (pairs.name, len(pairs)) == (name, 4)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("MUTAG", "not a set of pairs"),
        ("matching-paper", "no number of nodes"),
        ("matching-balanced-hard", "no number of nodes"),
        ("matching-odd-20", "'odd'"),
        ("matching-paper-hard-20", "'hard'"),
        ("matching-balanced-hard-20x", "'20x'"),
    ],
)
def test_other_names_are_refused_with_an_example(name, said):
    with pytest.raises(ConfigError, match=said) as refused:
        parse_matching_name(name)
    assert "matching-paper-20" in str(refused.value)
