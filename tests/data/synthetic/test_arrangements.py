"""Arrangement sets: the classes agree in everything but how communities are joined."""

import functools
import hashlib
import re
from collections import Counter
from dataclasses import fields
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import chi2_contingency, ks_2samp

import graphpool as gp
from graphpool.data import as_graphs, content_hash
from graphpool.data import load as datasets
from graphpool.data.synthetic.arrangements import build as arrangements
from graphpool.data.synthetic.arrangements import communities
from graphpool.data.synthetic.arrangements.settings import ABOUT, Settings, default_settings
from graphpool.errors import ConfigError, DataError
from graphpool.features import FeaturePipeline
from graphpool.graphs import GraphSet, colour_rounds

NAMES = tuple(ABOUT)
TYPED = ("ring", "marks", "marksmix", "order")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRAPHPOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("GRAPHPOOL_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache"


@functools.cache
def make(name: str, **settings: object) -> GraphSet:
    return arrangements.make(name, **settings)


def flat(graphs: GraphSet) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges numbered through the set, the true community of each node likewise, its graph."""
    owner = graphs.node_graph.numpy()
    most = int(communities(graphs).max()) + 1
    return graphs.flat_edges.numpy(), owner * most + communities(graphs).numpy(), owner


def components(edges: np.ndarray, nodes: int) -> int:
    ones = np.ones(edges.shape[1])
    return int(connected_components(coo_array((ones, tuple(edges)), (nodes, nodes)))[0])


def per_graph(graphs: GraphSet) -> dict[str, np.ndarray]:
    """What a model could count: nodes, edges, communities, and nodes of the second label."""
    _, community, owner = flat(graphs)
    first = np.unique(community, return_index=True)[1]
    counts = {
        "nodes": graphs.node_counts.numpy(),
        "edges": graphs.edge_counts.numpy(),
        "communities": np.bincount(owner[first], minlength=len(graphs)),
    }
    if graphs.node_label is not None:
        counts["labels"] = np.bincount(owner, weights=graphs.node_label.numpy())
    return counts


def coarse(graphs: GraphSet, position: int) -> nx.Graph:
    """The graph of a graph's true communities, each with its most common label."""
    part = graphs[[position]]
    group = communities(part).tolist()
    made = nx.Graph()
    for community in set(group):
        labels = [] if part.node_label is None else part.node_label[
            torch.tensor([other == community for other in group])].tolist()  # fmt: skip
        made.add_node(community, type=Counter(labels).most_common(1)[0][0] if labels else 0)
    for source, target in part.edge_index.T.tolist():
        if group[source] != group[target]:
            made.add_edge(group[source], group[target])
    return made


# ---------------------------------------------------------------------- what a graph is made of


@pytest.mark.parametrize("name", NAMES)
def test_graphs_and_their_communities_are_connected(name: str) -> None:
    graphs = make(name, graphs=400)
    edges, community, _ = flat(graphs)
    inside = edges[:, community[edges[0]] == community[edges[1]]]
    assert components(edges, graphs.num_nodes) == 400
    assert components(inside, graphs.num_nodes) == len(np.unique(community))


@pytest.mark.parametrize("name", NAMES)
def test_communities_have_the_sizes_and_edges_asked_for(name: str) -> None:
    graphs = make(name, graphs=400, sizes=(7, 9), edges=1.5)
    edges, community, _ = flat(graphs)
    inside = edges[:, community[edges[0]] == community[edges[1]]]
    size = np.bincount(community)
    twice = np.bincount(community[inside[0]], minlength=len(size))
    found = {(int(n), int(m) // 2) for n, m in zip(size, twice, strict=True) if n}
    assert found == {(7, 11), (8, 12), (9, 14)}


@pytest.mark.parametrize("bridges", [1, 6])
@pytest.mark.parametrize("name", NAMES)
def test_joined_communities_have_so_many_bridges(name: str, bridges: int) -> None:
    graphs = make(name, graphs=400, bridges=bridges)
    edges, community, owner = flat(graphs)
    a, b = community[edges]
    across = a < b
    joins, count = np.unique(np.stack([a[across], b[across]]), axis=1, return_counts=True)
    assert set(count.tolist()) == {bridges}
    communities_of = per_graph(graphs)["communities"]
    of = owner[np.unique(community, return_index=True)[1]]
    joins_of = np.bincount(of[np.searchsorted(np.unique(community), joins[0])])
    tree = name in ("order", "spider")
    assert (joins_of == communities_of - tree).all()


@pytest.mark.parametrize("name", TYPED)
def test_labels_are_the_types_but_for_the_noise(name: str) -> None:
    clean, noisy = make(name, graphs=400, noise=0), make(name, graphs=400)
    _, community, _ = flat(clean)
    label = clean.node_label.numpy()
    assert len(np.unique(np.stack([community, label]), axis=1).T) == len(np.unique(community))
    assert torch.equal(clean.edge_index, noisy.edge_index)
    flipped = (clean.node_label != noisy.node_label).double()
    assert abs(float(flipped.mean()) - 0.2) < 4 * (0.16 / clean.num_nodes) ** 0.5


# ---------------------------------------------------------------------- the arrangement


@pytest.mark.parametrize("name", ["ring", "order"])
def test_patterns_are_arranged_as_their_class_says(name: str) -> None:
    graphs = make(name, graphs=60, noise=0)
    closed = name == "ring"
    for position, y in enumerate(graphs.y.tolist()):
        pattern = str(graphs.classes[y])
        wanted = nx.cycle_graph(len(pattern)) if closed else nx.path_graph(len(pattern))
        nx.set_node_attributes(wanted, {i: "AB".index(s) for i, s in enumerate(pattern)}, "type")
        same = nx.vf2pp_is_isomorphic(coarse(graphs, position), wanted, node_label="type")
        assert same, position


@pytest.mark.parametrize("name", ["marks", "marksmix"])
def test_marks_are_as_far_apart_as_their_class_says(name: str) -> None:
    graphs = make(name, graphs=200, noise=0)
    found: dict[str, set[tuple[int, int]]] = {"near": set(), "far": set()}
    for position, y in enumerate(graphs.y.tolist()):
        ring = coarse(graphs, position)
        assert nx.is_isomorphic(ring, nx.cycle_graph(len(ring)))
        marked = [node for node, kind in ring.nodes(data="type") if kind == 1]
        assert len(marked) == 2
        apart = nx.shortest_path_length(ring, *marked)
        found[str(graphs.classes[y])].add((len(ring), apart))
    lengths = [8] if name == "marks" else [6, 7, 8, 9, 10]
    assert found["near"] == {(length, 2) for length in lengths}
    assert found["far"] == {(n, d) for n in lengths for d in (3, 4) if d <= n // 2}


def test_spiders_have_the_legs_of_their_class() -> None:
    graphs = make("spider", graphs=60)
    for position, y in enumerate(graphs.y.tolist()):
        spider = coarse(graphs, position)
        assert nx.is_tree(spider)
        body = [node for node, degree in spider.degree if degree == 3]
        spider.remove_nodes_from(body)
        legs = sorted(len(leg) for leg in nx.connected_components(spider))
        assert (len(body), legs) == (1, [[1, 1, 3], [1, 2, 2]][y])


# ---------------------------------------------------------------------- what must tell nothing


@pytest.mark.parametrize("name", NAMES)
def test_classes_agree_in_the_distribution_of_every_count(name: str) -> None:
    graphs = make(name)
    y = graphs.y.numpy()
    assert np.bincount(y).tolist() == [2000, 2000]
    for what, count in per_graph(graphs).items():
        assert ks_2samp(count[y == 0], count[y == 1]).pvalue > 0.01, what


@pytest.mark.parametrize("name", NAMES)
def test_twins_are_the_same_communities_in_either_arrangement(name: str) -> None:
    graphs = make(name, graphs=200, twins=True)
    for count in per_graph(graphs).values():
        assert (count[0::2] == count[1::2]).all()
    y = graphs.y
    assert (y[0::2] + y[1::2] == 1).all()
    edges, community, owner = flat(graphs)
    inside = edges[:, community[edges[0]] == community[edges[1]]]
    degree = np.bincount(inside[0], minlength=graphs.num_nodes)
    label = 0 if graphs.node_label is None else graphs.node_label.numpy()
    kind = degree * 2 + label
    histogram = np.zeros((200, kind.max() + 1), dtype=int)
    np.add.at(histogram, (owner, kind), 1)
    assert (histogram[0::2] == histogram[1::2]).all()


def test_without_twins_no_two_graphs_share_their_communities() -> None:
    counts = per_graph(make("ring", graphs=400))
    assert (counts["nodes"][0::2] == counts["nodes"][1::2]).mean() < 0.2


def test_the_order_of_graphs_does_not_tell_the_class() -> None:
    first = make("ring").y[0::2].double().mean()
    assert abs(float(first) - 0.5) < 4 * 0.5 / 2000**0.5


@pytest.mark.parametrize("name", NAMES)
def test_node_numbers_tell_nothing_of_communities(name: str) -> None:
    graphs = make(name, graphs=400)
    _, community, owner = flat(graphs)
    neighbours = owner[1:] == owner[:-1]
    together = (community[1:] == community[:-1])[neighbours].mean()
    size, nodes = np.bincount(community), graphs.node_counts.numpy()
    chance = (size * (size - 1)).sum() / (nodes * (nodes - 1)).sum()
    assert abs(together - chance) < 4 * (chance / neighbours.sum()) ** 0.5


@pytest.mark.parametrize("name", TYPED)
def test_community_numbers_tell_nothing_of_types(name: str) -> None:
    graphs = make(name, graphs=400, noise=0)
    _, community, _ = flat(graphs)
    one = np.unique(community, return_index=True)[1]
    number, label = communities(graphs).numpy()[one], graphs.node_label.numpy()[one]
    # A cycle of 10 has communities 8 and 9 and fewer marks among more: look at the common ones.
    usual = number < default_settings(name).communities[0]
    table = np.zeros((number.max() + 1, 2))
    np.add.at(table, (number[usual], label[usual]), 1)
    assert chi2_contingency(table[table.sum(1) > 0]).pvalue > 0.01


def difference(histogram: np.ndarray, y: np.ndarray) -> float:
    """How rarely a random division into classes differs as much as this one (a p value)."""
    rng = np.random.default_rng(0)
    scaled = histogram / np.sqrt(histogram.sum(0))
    signs = np.stack([2 * y - 1, *(rng.permutation(2 * y - 1) for _ in range(400))])
    spread = ((signs @ scaled) ** 2).sum(1)
    return float((spread >= spread[0]).mean())


def colours(graphs: GraphSet, depth: int) -> np.ndarray:
    """Counts of the 400 most common 1-WL colours, `[graphs, colours]`."""
    label = graphs.node_label
    start = np.zeros(graphs.num_nodes, dtype=np.int64) if label is None else label.numpy()
    rounds = colour_rounds(graphs, start)
    for _ in range(depth + 1):
        colour, number = next(rounds)
    common = np.argsort(np.bincount(colour), kind="stable")[::-1][:400]
    place = np.full(number, -1)
    place[common] = np.arange(len(common))
    seen = place[colour] >= 0
    histogram = np.zeros((len(graphs), len(common)))
    np.add.at(histogram, (graphs.node_graph.numpy()[seen], place[colour][seen]), 1)
    return histogram


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_two_rounds_of_colour_refinement_see_no_difference(name: str, depth: int) -> None:
    graphs = make(name)
    assert difference(colours(graphs, depth), graphs.y.numpy()) > 0.01


@pytest.mark.parametrize("depth", [1, 2])
def test_colours_would_tell_a_small_difference_in_noise(depth: int) -> None:
    a, b = make("ring", graphs=2000), make("ring", graphs=2000, noise=0.22, seed=1)
    y = np.repeat([0, 1], 2000)
    assert difference(colours(gp.concatenate([a, b]), depth), y) < 0.01


def flat_network() -> gp.GraphClassifier:
    return gp.GraphClassifier(
        pooler="sum", encoder="gin", norm="batch", num_layers=2, hidden_channels=32, epochs=8,
        batch_size=50, learning_rate=0.001, seed=0, threads=1,
    )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_flat_network_of_two_layers_stays_at_chance(name: str) -> None:
    graphs = make(name)
    score = flat_network().fit(graphs[:1000]).score(graphs[1000:])
    assert abs(score - 0.5) < 4 * 0.5 / 3000**0.5


def test_the_same_network_learns_what_can_be_counted() -> None:
    graphs = make("ring")
    second = per_graph(graphs)["labels"]
    most = (second * 2 > graphs.node_counts.numpy()).astype(int)
    model = flat_network().fit(graphs[:1000], most[:1000])
    assert model.score(graphs[1000:], most[1000:]) > 0.8


# ---------------------------------------------------------------------- seeds and features


def test_a_seed_gives_the_same_bits_everywhere() -> None:
    graphs = make("marksmix", graphs=20, bridges=3)
    parts = (graphs.node_ptr, graphs.edge_index.long(), graphs.node_label, communities(graphs),
             graphs.y)  # fmt: skip
    text = "\n".join(" ".join(map(str, part.reshape(-1).tolist())) for part in parts)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "bd648a01f659d4c9"


def test_another_seed_gives_other_graphs() -> None:
    hashes = {content_hash(arrangements.make("ring", graphs=4, seed=seed)) for seed in range(5)}
    assert len(hashes) == 5


@pytest.mark.parametrize("settings", [{}, {"twins": True}])
@pytest.mark.parametrize("name", NAMES)
def test_fewer_graphs_are_the_beginning_of_more(name: str, settings: dict[str, bool]) -> None:
    few, more = make(name, graphs=30, **settings), make(name, graphs=40, **settings)[:30]
    assert torch.equal(few.edge_index, more.edge_index)
    assert torch.equal(few.node_attr, more.node_attr)
    assert torch.equal(few.y, more.y)


@pytest.mark.parametrize("name", NAMES)
def test_drawing_in_blocks_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = content_hash(make(name, graphs=31))
    monkeypatch.setattr(arrangements, "_BLOCK", 1)
    assert content_hash(arrangements.make(name, graphs=31)) == whole


def test_features_of_a_list_of_graphs_do_not_see_the_communities_either() -> None:
    graphs = make("ring", graphs=12)
    listed = as_graphs([graphs[position] for position in range(12)])
    assert listed.node_attr is not None
    assert FeaturePipeline("auto").fit(listed).used == ("2 node labels",)


def test_features_do_not_see_the_communities(cache: Path) -> None:
    labels, degrees = gp.load("ring:graphs=20"), gp.load("spider:graphs=20")
    assert torch.equal(labels.x, torch.nn.functional.one_hot(labels.node_label).to(labels.x.dtype))
    assert degrees.node_label is None
    # Alike in degree, alike in features: whatever else a node has is not among them.
    rows = torch.cat([degrees.degree[:, None].to(degrees.x.dtype), degrees.x], dim=1)
    assert len(rows.unique(dim=0)) == len(degrees.degree.unique())


def test_communities_stay_with_their_nodes(tmp_path: Path) -> None:
    graphs = make("order", graphs=20)
    gp.save(graphs[[7, 3]], tmp_path / "two.safetensors")
    again = communities(gp.read(tmp_path / "two.safetensors"))
    begin, end = graphs.node_ptr[7], graphs.node_ptr[8]
    assert torch.equal(again[: end - begin], communities(graphs)[begin:end])
    assert sorted(again[: end - begin].unique().tolist()) == [0, 1, 2, 3, 4, 5]


def test_other_sets_have_no_known_communities() -> None:
    with pytest.raises(DataError, match="communities of its nodes are not known"):
        communities(gp.from_networkx([nx.path_graph(3)]))


def test_the_page_about_the_sets_is_true(cache: Path) -> None:
    page = Path(__file__).parents[3] / "docs" / "arrangements.md"
    text = page.read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(code) == 1
    exec(compile(code[0], str(page), "exec"), {})
    assert all(f"| `{setting.name}` |" in text for setting in fields(Settings))
    assert all(f"| `{name}` |" in text for name in NAMES)


# ---------------------------------------------------------------------- names and settings


def test_load_takes_the_settings_after_the_colon(cache: Path) -> None:
    text = "Marks:seed=3, graphs=50,sizes=9,communities=7-8,bridges=2,noise=0.1,edges=2,twins=true"
    made = make("marks", seed=3, graphs=50, sizes=(9, 9), communities=(7, 8), bridges=2,
                noise=0.1, edges=2, twins=True)  # fmt: skip
    loaded = gp.load(text, features=None)
    assert content_hash(loaded) == content_hash(made)
    assert loaded.name == (
        "marks:graphs=50,sizes=9,edges=2.0,bridges=2,noise=0.1,communities=7-8,twins=true,seed=3"
    )
    assert content_hash(gp.load(loaded.name, features=None)) == content_hash(made)


def test_a_set_is_drawn_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = gp.load("ring:graphs=20", features=None)
    monkeypatch.setattr(arrangements, "make_from", None)
    again = gp.load("ring:graphs=20,seed=0", features=None)
    assert content_hash(again) == content_hash(first)
    monkeypatch.setattr(arrangements, "VERSION", arrangements.VERSION + 1)
    with pytest.raises(TypeError):
        gp.load("ring:graphs=20")


def test_a_file_of_ones_own_comes_first(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "ring.jsonl").write_text('{"nodes": 2, "edges": [[0, 1]], "y": 0}\n')
    assert len(gp.load("ring", root=tmp_path)) == 1
    assert len(gp.load("ring:graphs=12", root=tmp_path)) == 12


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("ring:brigdes=6", "ring has no setting 'brigdes'; did you mean 'bridges'"),
        ("ring:communities=9", "ring has no setting 'communities'; known: bridges, edges"),
        ("spider:noise=0.1", "spider has no setting 'noise'"),
        ("ring:bridges", "'bridges' is not a setting; write NAME=VALUE"),
        ("ring:seed=1,seed=2", "seed is set twice"),
        ("ring:graphs=2.5", "graphs can't be '2.5'; write such as 4000"),
        ("ring:noise=much", "noise can't be 'much'"),
        ("ring:twins=perhaps", "twins can't be 'perhaps'; write such as false"),
        ("ring:sizes=1-2-3", "sizes can't be '1-2-3'; write such as 8-12"),
        ("ring:sizes=12-8", "sizes can't be 12-8; it must be an ascending range from 3 on"),
        ("ring:edges=4", "edges can't be 4.0; it must be 1 to 3.5 with communities of 8"),
        ("ring:bridges=65", "bridges can't be 65; it must be 1 to 64"),
        ("ring:noise=nan", "noise can't be nan; it must be 0 to 1"),
        ("ring:graphs=0", "graphs can't be 0; it must be at least 1"),
        ("ring:seed=-1", "seed can't be -1"),
        ("marks:communities=5-8", "communities can't be 5-8; it must be an ascending range from 6"),
    ],
)
def test_a_wrong_setting_is_named(name: str, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        gp.load(name)
    assert says in str(error.value)


def test_a_wrong_value_from_python_is_named() -> None:
    with pytest.raises(ConfigError, match=r"graphs can't be 2\.5"):
        arrangements.make("ring", graphs=2.5)
    with pytest.raises(ConfigError, match="did you mean 'spider'"):
        arrangements.make("spyder")


def test_a_misspelt_set_with_settings_is_named(cache: Path) -> None:
    with pytest.raises(DataError, match="no data set 'rings:seed=1'; did you mean 'ring'"):
        gp.load("rings:seed=1")


def test_arrangements_have_no_published_split(cache: Path) -> None:
    with pytest.raises(DataError, match="ring has no published edit distances"):
        datasets.published_split("ring:seed=1")
