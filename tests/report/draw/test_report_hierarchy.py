import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from graphpool.report.draw.figure import draw_hierarchy_png, hierarchy_figure
from graphpool.report.draw.hierarchy import draw_hierarchy, edge_list
from graphpool.report.draw.layout import MARGIN, WIDTH, centroids, place_levels, strength
from graphpool.report.pictures import HierarchyExample, Level

RING = nx.to_numpy_array(nx.cycle_graph(6))
PAIRS = np.repeat(np.eye(3), 2, axis=0)  # nodes 0 and 1 to the first cluster, and so on


def three_levels(**options):
    coarse = PAIRS.T @ RING @ PAIRS
    return HierarchyExample(
        "7", "yes", "no",
        [
            Level(RING, PAIRS, **options),
            Level(coarse, np.ones((3, 1))),
            Level(np.array([[12.0]])),
        ],
    )  # fmt: skip


def circles(page):
    return re.findall(r'<circle class="(node[^"]*)" cx="([^"]+)" cy="([^"]+)" r="([^"]+)"', page)


def test_every_node_of_every_level_is_one_circle():
    assert len(circles(draw_hierarchy(three_levels()))) == 6 + 3 + 1


def test_nodes_have_the_colour_of_their_strongest_cluster():
    page = draw_hierarchy(three_levels())
    first = page.split("</svg>")[0]
    assert re.findall(r"--k:var\(--c(\d+)\)", first) == ["0", "0", "1", "1", "2", "2"]
    second = page.split("</svg>")[1]
    assert re.findall(r"--k:var\(--c(\d+)\)", second) == ["0", "1", "2"]


def test_shared_nodes_are_paler():
    members = np.array([[1.0, 0.0], [0.5, 0.5], [0.75, 0.25], [0.0, 0.0]])
    assert strength(members).tolist() == [1.0, 0.0, 0.5, 0.0]


def test_the_last_node_is_a_pie_of_the_first_clusters():
    last = draw_hierarchy(three_levels()).split("</svg>")[2]
    assert last.count('class="slice"') == 3
    assert "cluster 1: 33 %" in last


def test_clusters_are_as_large_as_the_nodes_they_hold():
    members = np.zeros((6, 2))
    members[:5, 0] = 1
    members[5, 1] = 1
    example = HierarchyExample("1", "a", "a", [Level(RING, members), Level(np.ones((2, 2)))])
    mass, radius = place_levels(example)[1].mass, place_levels(example)[1].radius
    assert mass.tolist() == [5.0, 1.0]
    assert (radius[0] / radius[1]) ** 2 == pytest.approx(5.0)


def test_clusters_stand_amid_their_members():
    position = np.array([[0.0, 0.0], [2.0, 0.0], [10.0, 4.0]])
    members = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]])
    assert centroids(position, members) == pytest.approx(np.array([[1.0, 0.0], [10.0, 4.0]]))


def test_coarse_circles_do_not_overlap_even_when_the_assignment_collapsed():
    same = np.full((6, 4), 0.25)
    placed = place_levels(HierarchyExample("1", "a", "a", [Level(RING, same), Level(np.eye(4))]))
    points, radius = placed[1].position, placed[1].radius
    for a in range(4):
        for b in range(a):
            assert np.linalg.norm(points[a] - points[b]) > radius[a] + radius[b]


def test_only_edges_between_clusters_are_drawn():
    adjacency = np.array([[9.0, 2.0, 0.0], [4.0, 9.0, 0.01], [0.0, 0.01, 9.0]])
    pairs, weight = edge_list(adjacency)
    assert pairs.tolist() == [[0, 1]]  # 0.01 is next to nothing beside 9
    assert weight.tolist() == [3.0]


def test_a_coarse_graph_that_is_switched_off_shows_no_edges():
    page = draw_hierarchy(HierarchyExample("1", "a", "a", [Level(RING, PAIRS), Level(np.eye(3))]))
    assert "3 clusters, 0 links" in page
    assert "<line" not in page.split("</svg>")[1]


@pytest.mark.parametrize(
    "graph",
    [
        nx.empty_graph(1),
        nx.empty_graph(2),
        nx.path_graph(2),
        nx.path_graph(3),
        nx.star_graph(9),
        nx.disjoint_union(nx.cycle_graph(5), nx.empty_graph(3)),
        nx.complete_graph(12),
        nx.connected_caveman_graph(8, 7),
        nx.barabasi_albert_graph(200, 2, seed=0),
    ],
    ids=str,
)
def test_any_graph_is_drawn_inside_its_panel_at_finite_places(graph):
    (placed,) = place_levels(HierarchyExample("1", "a", "a", [Level(nx.to_numpy_array(graph))]))
    assert np.isfinite(placed.position).all()
    low, high = placed.position.min(axis=0), placed.position.max(axis=0)
    assert (low >= 0).all()
    assert (high <= [placed.width, placed.height]).all()


def test_the_graph_fills_its_panel():
    tree = nx.to_numpy_array(nx.balanced_tree(2, 4))
    (placed,) = place_levels(HierarchyExample("1", "a", "a", [Level(tree)]))
    size = np.ptp(placed.position, axis=0)
    assert size[0] == pytest.approx(WIDTH - 2 * MARGIN) or size[1] > 250


def test_the_same_graph_gets_the_same_picture():
    assert draw_hierarchy(three_levels()) == draw_hierarchy(three_levels())


def test_ring_is_drawn_as_a_ring():
    (placed,) = place_levels(HierarchyExample("1", "a", "a", [Level(RING)]))
    centre = placed.position.mean(axis=0)
    reach = np.linalg.norm(placed.position - centre, axis=1)
    assert reach == pytest.approx(np.full(6, reach[0]), rel=0.02)


def test_known_labels_are_written_into_the_nodes_and_escaped():
    page = draw_hierarchy(three_levels(node_labels=["C", "N", "<", "C", "C", "C"]))
    assert ">N</text>" in page
    assert ">&lt;</text>" in page


def test_dropped_nodes_are_hollow():
    kept = np.array([[1.0], [0.0], [1.0], [0.0], [1.0], [0.0]])
    page = draw_hierarchy(HierarchyExample("1", "a", "a", [Level(RING, kept), Level(np.eye(1))]))
    assert sum(css == "node dropped" for css, *_ in circles(page)) == 3


def test_right_and_wrong_predictions_are_told_apart():
    assert ">wrong<" in draw_hierarchy(three_levels())
    assert ">correct<" in draw_hierarchy(HierarchyExample("1", "a", "a", [Level(RING)]))


def test_levels_must_fit_together():
    with pytest.raises(ValueError, match="level 0 must be assigned to the 2 nodes of level 1"):
        HierarchyExample("1", "a", "a", [Level(RING, PAIRS), Level(np.eye(2))])


def test_png_is_small_and_complete(tmp_path):
    path = draw_hierarchy_png(three_levels(node_labels=list("CNOCCC")), tmp_path / "h.png")
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert content.endswith(b"IEND\xaeB`\x82")
    assert len(content) < 150_000


def test_places_are_called_places():
    page = draw_hierarchy(replace(three_levels(), places=True))
    assert "3 places, 3 links" in page
    assert "place 1, 100 %" in page
    assert "places 1 and 2: weight" in page
    assert "place 1: 33 %" in page.split("</svg>")[2]
    assert "cluster" not in page.split("</svg>")[1]


def test_the_picture_says_places_too():
    said = [
        text.get_text()
        for text in hierarchy_figure(replace(three_levels(), places=True)).axes[0].texts
    ]
    assert "level 1: 3 places" in said
