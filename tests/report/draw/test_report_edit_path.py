import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from PIL import Image

from graphpool import ged
from graphpool.errors import ConfigError
from graphpool.report.draw.edit_path import TONES, draw_edit_path, edit_path_figure

PATH = (["C", "N", "O"], [(0, 1), (1, 2)])
FORK = (["C", "C", "O", "F"], [(0, 1), (1, 2), (1, 3)])


def rims(figure):
    """Rim colour and centre of every node, as drawn."""
    from matplotlib.colors import to_hex
    from matplotlib.patches import Circle

    drawn = [patch for patch in figure.axes[0].patches if isinstance(patch, Circle)]
    return [(to_hex(patch.get_edgecolor()), np.array(patch.center)) for patch in drawn]


def test_edits_have_their_colours_on_the_side_where_they_are():
    figure = edit_path_figure(PATH, FORK, ged.distance(PATH, FORK))
    middle = figure.axes[0].get_xlim()[1] / 2
    drawn = rims(figure)
    assert len(drawn) == 7
    left = [tone for tone, (x, _) in drawn if x < middle]
    right = [tone for tone, (x, _) in drawn if x > middle]
    assert left.count(TONES["substitute"]) == right.count(TONES["substitute"]) == 1
    assert right.count(TONES["insert"]) == 1
    assert TONES["insert"] not in left
    assert TONES["delete"] not in left + right


def test_a_node_and_its_image_stand_at_the_same_place():
    result = ged.distance(PATH, FORK)
    figure = edit_path_figure(PATH, FORK, result)
    centre = [place for _, place in rims(figure)]
    apart = [centre[3 + result.mapping[v]] - centre[v] for v in range(3)]
    np.testing.assert_allclose(apart, [apart[0]] * 3)
    assert apart[0][0] > 100
    assert apart[0][1] == 0


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_pictures_are_written_and_are_the_same_every_time(tmp_path, suffix):
    result = ged.distance(PATH, FORK)
    files = [draw_edit_path(PATH, FORK, result, tmp_path / f"{n}.{suffix}") for n in (1, 2)]
    assert files[0].read_bytes() == files[1].read_bytes()
    if suffix == "png":
        with Image.open(files[0]) as picture:
            assert picture.size[0] > 500
    else:
        text = files[0].read_text()
        assert "first: 3 nodes, 2 edges" in text
        assert re.search(r"edit distance 3\b", text)
        assert "2 inserted" in text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((0, []), (0, [])),
        ((0, []), (1, [(0, 0)])),
        ((3, []), (2, [(0, 1, "x")])),
        (nx.DiGraph([(0, 1), (1, 0), (1, 1)]), nx.DiGraph([(0, 1), (1, 2), (2, 0)])),
    ],
    ids=["nothing", "one node with a loop", "no edges", "directed"],
)
def test_any_graphs_can_be_drawn(tmp_path, first, second):
    draw_edit_path(first, second, ged.distance(first, second), tmp_path / "x.svg")


def test_costs_that_delete_and_insert_draw_nodes_of_both():
    costs = ged.Costs(node_substitution=10.0)
    result = ged.distance(PATH, FORK, costs=costs)
    drawn = [tone for tone, _ in rims(edit_path_figure(PATH, FORK, result))]
    assert drawn.count(TONES["delete"]) == 1
    assert drawn.count(TONES["insert"]) == 2


def test_unproved_distances_are_drawn_as_bounds(tmp_path):
    result = replace(ged.distance(PATH, FORK), lower=1.5, optimal=False)
    draw_edit_path(PATH, FORK, result, tmp_path / "x.svg")
    assert "edit distance 1.5 to 3, path of 3" in (tmp_path / "x.svg").read_text()


def test_what_cannot_be_drawn_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no edit path"):
        draw_edit_path(PATH, FORK, ged.distance(PATH, FORK, method="label"), tmp_path / "x.svg")
    with pytest.raises(ConfigError, match=r"\.svg or \.png"):
        draw_edit_path(PATH, FORK, ged.distance(PATH, FORK), tmp_path / "x.pdf")
