import pytest
import torch
from plain import CHANNELS, batch_of, random_graph
from torch import Tensor

from graphpool.config import ModelConfig
from graphpool.graphs.segments import Segments
from graphpool.nn import HAP, build_model
from graphpool.nn.coarsen.health import (
    MEASURES,
    clusters_used,
    effective_rank,
    entropy,
    level_health,
    off_identity,
)
from graphpool.nn.coarsen.outputs import PoolOutput, Trace
from graphpool.nn.level import Level


def level(
    assignment: Tensor, sizes: list[int] | None = None, adj: Tensor | None = None
) -> PoolOutput:
    """A level with this M; ragged if sizes are given."""
    clusters = assignment.shape[-1]
    graphs = len(sizes) if sizes else assignment.shape[0]
    segments = Segments(torch.tensor([0, *sizes]).cumsum(0)) if sizes else None
    if adj is None:
        adj = torch.zeros(graphs, clusters, clusters)
    return PoolOutput(
        Level(torch.zeros(graphs, clusters, 1), adj), assignment, node_segments=segments
    )


def test_identical_rows_have_rank_one() -> None:
    row = torch.tensor([0.1, 0.2, 0.3, 0.4])
    assert effective_rank(level(row.expand(2, 6, 4))).tolist() == pytest.approx([1, 1], abs=1e-5)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_hard_balanced_assignment_has_rank_k(k: int) -> None:
    hard = torch.eye(k).repeat(4, 1)
    assert effective_rank(level(hard.unsqueeze(0))).tolist() == pytest.approx([k], abs=1e-9)


def test_rank_of_unequal_hard_clusters_by_hand() -> None:
    # Clusters of 9 and 1 nodes: singular values 3 and 1, shares 3/4 and 1/4.
    hard = torch.eye(2)[[0] * 9 + [1]]
    share = torch.tensor([0.75, 0.25])
    wanted = float((-(share * share.log()).sum()).exp())
    assert effective_rank(level(hard.unsqueeze(0))).item() == pytest.approx(wanted)


def test_rank_equals_the_entropy_of_singular_values_of_each_graph() -> None:
    sizes = [7, 1, 3, 12]
    share = torch.rand(sum(sizes), 5).softmax(-1)
    found = effective_rank(level(share, sizes))
    for part, rank in zip(share.double().split(sizes), found, strict=True):
        values = torch.linalg.svdvals(part)
        values = values / values.sum()
        assert rank.item() == pytest.approx(torch.special.entr(values).sum().exp().item(), abs=1e-4)


def test_rank_of_an_assignment_that_is_not_finite_is_nan_and_hurts_no_other_graph() -> None:
    share = torch.eye(8).repeat(2, 1)
    share[3, 2] = torch.nan
    rank = effective_rank(level(share, [8, 8]))
    assert rank.isnan().tolist() == [True, False]
    assert rank[1].item() == pytest.approx(8)


def test_clusters_used_counts_clusters_that_win_a_node() -> None:
    share = torch.tensor([[0.6, 0.4, 0.0], [0.9, 0.0, 0.1], [0.2, 0.3, 0.5], [0.0, 1.0, 0.0]])
    assert clusters_used(level(share, [2, 2])).tolist() == [1, 2]


def test_entropy_is_zero_for_hard_and_one_for_even_assignments() -> None:
    share = torch.cat([torch.eye(4), torch.full((3, 4), 0.25)])
    assert entropy(level(share, [4, 3])).tolist() == pytest.approx([0.0, 1.0])
    # Half the nodes hard, half even.
    assert entropy(level(share[2:6], [4])).tolist() == pytest.approx([0.5])


def test_off_identity_is_the_weight_between_clusters() -> None:
    adj = torch.stack([torch.eye(3), torch.ones(3, 3) - torch.eye(3), torch.ones(3, 3)])
    found = off_identity(level(torch.rand(3, 5, 3), adj=adj))
    assert found.tolist() == pytest.approx([0.0, 1.0, 2 / 3])


def test_off_identity_of_a_coarse_graph_without_weight_is_nan() -> None:
    assert off_identity(level(torch.rand(1, 5, 3))).isnan().all()


def test_level_health_names_every_measure_and_leaves_out_single_clusters() -> None:
    batch = batch_of([random_graph(6), random_graph(9)])
    model = HAP(CHANNELS, 8, (4, 3, 1), 2, assignment="content")
    trace = model.trace(batch)
    health = level_health(trace)
    names = ["clusters", *MEASURES]
    assert list(health) == [f"level{n}/{name}" for n in (1, 2) for name in names]
    assert health["level1/clusters"] == 4
    wanted = effective_rank(trace.levels[0]).mean().item()
    assert health["level1/effective_rank"] == pytest.approx(wanted)


def test_levels_that_keep_nodes_say_how_many() -> None:
    model = build_model(ModelConfig("gpool", hidden_channels=8), CHANNELS, 2)
    trace = model.trace(batch_of([random_graph(6), random_graph(9)]))
    (level,) = trace.levels
    assert level_health(trace) == {"level1/kept": level.x.shape[0] / 2}


def test_entropy_is_that_of_shares_even_where_they_do_not_sum_to_one() -> None:
    share = torch.tensor([[[0.2, 0.2], [0.3, 0.0]]])  # evenly shared, and not shared at all
    assert entropy(level(share)).tolist() == pytest.approx([0.5])


def test_level_health_averages_over_the_graphs_that_can_be_measured() -> None:
    adj = torch.stack([torch.zeros(2, 2), torch.eye(2), torch.ones(2, 2)])
    trace = Trace(torch.zeros(3, 2), torch.zeros(3, 2), (level(torch.rand(3, 4, 2), adj=adj),))
    assert level_health(trace)["level1/off_identity"] == pytest.approx((0 + 0.5) / 2)
