from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from graphpool.report.draw.cluster_grid import Clustered, DrawnGraph, cluster_grid
from graphpool.report.style import plain_style

SVG = "{http://www.w3.org/2000/svg}"
PATH = np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)  # four nodes in a row
LABELS = ("C", "C", "O", "C")


def draw(*clustered: Clustered) -> list[Element]:
    """The graph in each of the columns."""
    columns = [f"method {at}" for at in range(len(clustered))]
    row = DrawnGraph("A graph", PATH, LABELS, dict(zip(columns, clustered, strict=True)))
    picture = ElementTree.fromstring(plain_style(cluster_grid(columns, [row], "A title")))
    return picture.findall(f"{SVG}g")


def fills(graph: Element) -> list[str | None]:
    """Colours of circles, node by node."""
    return [each.get("fill") for each in graph.findall(f"{SVG}circle")]


def test_a_shared_node_is_a_pie_of_its_shares() -> None:
    (graph,) = draw(Clustered(np.full((4, 3), 1 / 3), "3 clusters"))
    pies = [each for each in graph.findall(f"{SVG}g") if each.find(f"{SVG}title") is not None]
    assert len(pies) == 4
    for pie in pies:
        assert len({each.get("fill") for each in pie.findall(f"{SVG}path")}) == 3
    assert pies[2].findtext(f"{SVG}title") == "node 2, O: 33 %, 33 %, 33 %"


def test_nodes_wholly_in_a_cluster_have_its_colour() -> None:
    (graph,) = draw(Clustered(np.eye(2)[[0, 0, 1, 1]], "2 clusters"))
    first, second, third, fourth = fills(graph)
    assert first == second != third == fourth


def test_places_that_touch_have_different_colours() -> None:
    # The second of 13 places would have the colour of the first one by its number alone.
    share = np.eye(13)[[0, 12, 0, 12]]
    (by_number, places) = draw(Clustered(share, ""), Clustered(share, "", places=True))
    assert len(set(fills(by_number))) == 1
    assert len(set(fills(places))) == 2


def test_a_dropped_node_is_an_empty_dashed_circle() -> None:
    share = np.eye(2)[[0, 0, 1, 1]]
    share[3] = 0
    (graph,) = draw(Clustered(share, ""))
    last = graph.findall(f"{SVG}circle")[3]
    assert last.get("fill") == "none"
    assert last.get("stroke-dasharray")


def test_a_graph_has_the_same_layout_in_every_column() -> None:
    one, two = draw(Clustered(np.ones((4, 1)), ""), Clustered(np.eye(4), ""))
    where = [
        [(each.get("cx"), each.get("cy")) for each in graph.findall(f"{SVG}circle")]
        for graph in (one, two)
    ]
    assert where[0] == where[1]


def test_the_most_frequent_label_is_not_written() -> None:
    (graph,) = draw(Clustered(np.ones((4, 1)), ""))
    assert [each.text for each in graph.findall(f"{SVG}text")] == ["O"]
