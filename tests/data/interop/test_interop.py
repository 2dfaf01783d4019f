import networkx as nx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import packed, random_graphs
from torch_geometric.data import Data

from graphpool.data import from_networkx, from_pyg, to_networkx, to_pyg
from graphpool.errors import DataError
from graphpool.graphs import GraphSet

FEW = settings(max_examples=15, deadline=None, derandomize=True, database=None)
SHARED = ("node_ptr", "edge_ptr", "edge_index", "edge_weight", "node_label", "node_attr")
SHARED += ("edge_label", "edge_attr", "y")


def assert_equal_sets(one: GraphSet, two: GraphSet, *fields: str) -> None:
    for name in (*SHARED, *fields):
        mine, other = getattr(one, name), getattr(two, name)
        assert torch.equal(mine, other), name
    for name in ("ids", "classes", "node_label_names", "edge_label_names"):
        assert getattr(one, name) == getattr(two, name), name


@FEW
@given(st.integers(0, 10_000), st.booleans())
def test_pyg_gives_the_same_set_back(seed: int, directed: bool) -> None:
    graphs = packed(random_graphs(seed, directed=directed))
    back = from_pyg(
        to_pyg(graphs),
        classes=graphs.classes,
        node_label_names=graphs.node_label_names,
        edge_label_names=graphs.edge_label_names,
    )
    assert_equal_sets(graphs, back, "x", "graph_attr")


def list_of(item: nx.Graph | list[nx.Graph]) -> list[nx.Graph]:
    assert isinstance(item, list)
    return item


@FEW
@given(st.integers(0, 10_000), st.booleans())
def test_networkx_gives_the_same_set_back(seed: int, directed: bool) -> None:
    # Names come back in sorted order, so only the codes of the classes can be compared directly.
    graphs = packed(random_graphs(seed, graphs=12, directed=directed))
    back = from_networkx(list_of(to_networkx(graphs)))
    for name in ("node_ptr", "edge_ptr", "edge_index", "node_attr", "edge_attr", "edge_weight"):
        assert torch.equal(getattr(graphs, name), getattr(back, name)), name
    for codes, names in (("node_label", "node_label_names"), ("edge_label", "edge_label_names")):
        mine = [getattr(graphs, names)[code] for code in getattr(graphs, codes)]
        assert mine == [getattr(back, names)[code] for code in getattr(back, codes)]
    assert [graphs.classes[graph.y or 0] for graph in graphs] == [
        back.classes[graph.y or 0] for graph in back
    ]


def test_networkx_nodes_of_any_name_keep_their_order() -> None:
    graph = nx.Graph(y="toxic")
    graph.add_node("b", label="N")
    graph.add_node(("a", 1), label="C")
    graph.add_edge(("a", 1), "b", label="single")
    graphs = from_networkx([graph])
    assert graphs.node_label_names == ("C", "N")
    assert graphs[0].node_label is not None
    assert graphs[0].node_label.tolist() == [1, 0]
    assert graphs[0].edge_index.tolist() == [[1, 0], [0, 1]]
    assert graphs.classes == ("toxic",)
    assert graphs.edge_label_names == ("single",)


def test_networkx_directed_edges_stay_directed() -> None:
    graph = nx.DiGraph([(0, 1), (2, 1)])
    graphs = from_networkx([graph])
    assert graphs[0].edge_index.tolist() == [[0, 2], [1, 1]]
    back = to_networkx(graphs[0])
    assert isinstance(back, nx.DiGraph)
    assert set(back.edges) == {(0, 1), (2, 1)}


def test_networkx_undirected_self_loop_stands_once() -> None:
    graphs = from_networkx([nx.Graph([(0, 0), (0, 1)])])
    assert graphs.edge_index.tolist() == [[0, 1, 0], [0, 0, 1]]
    assert set(list_of(to_networkx(graphs))[0].edges) == {(0, 0), (0, 1)}


def test_networkx_edges_with_unequal_values_become_directed() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    graphs = GraphSet.build(
        "l", torch.tensor([2]), torch.tensor([2]), edges, edge_label=torch.tensor([0, 1])
    )
    back = to_networkx(graphs[0])
    assert isinstance(back, nx.DiGraph)
    assert back.edges[0, 1]["label"] == 0
    assert back.edges[1, 0]["label"] == 1


def test_networkx_labels_and_classes_are_names_not_codes() -> None:
    made = to_networkx(packed(random_graphs(0))[3])
    assert isinstance(made, nx.Graph)
    assert made.nodes[0]["label"] in {"C", "N", "O", "F"}
    assert made.graph["y"] in {"yes", "no"}
    assert made.name == "3"


def test_networkx_classes_can_be_given_beside_the_graphs() -> None:
    graphs = from_networkx([nx.path_graph(2), nx.path_graph(3)], y=[5, -1])
    assert graphs.classes == (-1, 5)
    assert graphs.y is not None
    assert graphs.y.tolist() == [1, 0]
    assert graphs.node_label is None


def test_networkx_graphs_without_edges_or_of_one_node() -> None:
    graphs = from_networkx([nx.empty_graph(1), nx.empty_graph(3)])
    assert (len(graphs), graphs.num_nodes, graphs.num_edges) == (2, 4, 0)
    assert [len(graph) for graph in list_of(to_networkx(graphs))] == [1, 3]
    assert len(from_networkx([])) == 0


def test_networkx_label_missing_on_some_nodes_is_refused_with_the_graph() -> None:
    half = nx.path_graph(2)
    half.nodes[0]["label"] = "C"
    with pytest.raises(DataError, match="graph 1: 'label' is missing"):
        from_networkx([nx.relabel_nodes(nx.empty_graph(0), {}), half])


@pytest.mark.parametrize("label", [1.5, None, (1, 2)])
def test_networkx_label_of_another_type_is_refused(label: object) -> None:
    graph = nx.Graph()
    graph.add_node(0, label=label)
    with pytest.raises(DataError, match="integers or strings"):
        from_networkx([graph])


def test_networkx_attributes_of_unequal_length_are_refused() -> None:
    graph = nx.Graph()
    graph.add_node(0, attr=[1.0])
    graph.add_node(1, attr=[1.0, 2.0])
    with pytest.raises(DataError, match="attr must hold numbers"):
        from_networkx([graph])


def test_pyg_classes_are_the_numbers_that_occur() -> None:
    data = [Data(x=torch.ones(1, 2), edge_index=torch.zeros(2, 0).long(), y=y) for y in (7, -1, 7)]
    graphs = from_pyg(data)
    assert graphs.classes == (-1, 7)
    assert graphs.y is not None
    assert graphs.y.tolist() == [1, 0, 1]


def test_pyg_graph_without_edge_index_and_whole_number_features() -> None:
    graphs = from_pyg([Data(x=torch.ones(3, 2, dtype=torch.long))])
    assert graphs.num_edges == 0
    assert graphs.x is not None
    assert graphs.x.dtype == torch.float32


def test_pyg_field_missing_in_one_graph_is_refused_with_the_graph() -> None:
    data = [Data(x=torch.ones(1, 2)), Data(num_nodes=1)]
    with pytest.raises(DataError, match="graph 1: no x, which other graphs have"):
        from_pyg(data)


@pytest.mark.parametrize("y", [torch.zeros(3), torch.zeros(2, 2), torch.tensor([float("inf")])])
def test_pyg_numbers_of_nodes_and_infinite_ones_are_no_targets(y: torch.Tensor) -> None:
    with pytest.raises(DataError, match=r"values for 1|not finite"):
        from_pyg([Data(x=torch.ones(3, 2), y=y)])


def test_pyg_codes_beyond_the_names_are_refused() -> None:
    with pytest.raises(DataError, match="y holds codes beyond its 2 names"):
        from_pyg([Data(x=torch.ones(1, 2), y=2)], classes=("a", "b"))


def test_pyg_edge_attributes_follow_their_edges() -> None:
    edges = torch.tensor([[2, 0, 1], [0, 1, 0]])
    data = Data(x=torch.ones(3, 1), edge_index=edges, edge_attr=torch.tensor([2.0, 0.0, 1.0]))
    graph = from_pyg([data])[0]
    assert graph.edge_attr is not None
    assert graph.edge_attr.flatten().tolist() == graph.edge_index[0].tolist()


def test_a_graph_alone_is_a_set_of_one() -> None:
    assert from_networkx(nx.path_graph(3)).node_counts.tolist() == [3]
    assert from_pyg(Data(x=torch.ones(4, 2))).node_counts.tolist() == [4]


def test_what_is_no_graph_is_refused_with_its_place() -> None:
    with pytest.raises(DataError, match="graph 1: str is not a graph"):
        from_networkx([nx.path_graph(3), "path"])
    with pytest.raises(DataError, match="graph 0: Graph is not a graph"):
        from_pyg([nx.path_graph(3)])


def test_networkx_edges_without_a_weight_weigh_one() -> None:
    some, none = nx.DiGraph([(0, 1), (1, 2)]), nx.DiGraph([(0, 1)])
    some.edges[0, 1]["weight"] = 0.5
    first, second = from_networkx([some, none])
    assert first.edge_weight is not None
    assert second.edge_weight is not None
    assert dict(zip(first.edge_index[0].tolist(), first.edge_weight.tolist(), strict=True)) == {
        0: 0.5,
        1: 1.0,
    }
    assert second.edge_weight.tolist() == [1.0]
    assert from_networkx([none]).edge_weight is None
