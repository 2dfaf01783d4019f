"""What each assignment can tell apart: decalin against bicyclopentyl, ten carbon atoms each.

Two fused rings of six and two joined rings of five have the same 1-WL colours, and the atoms here
are numbered so that atom i has the same role in both: 0 and 5 branch, 1, 4, 6, 9 are next to them.
An assignment by role sees no more than that; one by place sees where a molecule is thin.
(`test_facts` has the embeddings of HAP's content forms, encoder by encoder.)
"""

import statistics
from collections.abc import Callable

import pytest
import torch
from plain import CHANNELS, batch_of, from_edges
from torch import Tensor, nn

from graphpool.graphs.batch import GraphBatch
from graphpool.nn import HAP, Encoder, HAPCoarsening, Hierarchy, Readout
from graphpool.nn.encoders import encoder_names
from graphpool.nn.pool import DiffPool

FIVE = [(0, 1), (1, 2), (2, 3), (3, 4)]
HALVES = [*FIVE, *((i + 5, j + 5) for i, j in FIVE), (0, 5)]
DECALIN = [*HALVES, (4, 5), (9, 0)]
BICYCLOPENTYL = [*HALVES, (4, 0), (9, 5)]
SEEDS = range(5)

BY_ROLE: dict[str, Callable[[], nn.Module]] = {
    "content": lambda: HAPCoarsening(16, 4, "content"),
    "static": lambda: HAPCoarsening(16, 4, "static", "gram"),
    "diffpool": lambda: DiffPool(16, 4),
}


def molecules() -> GraphBatch:
    return batch_of([from_edges(10, DECALIN), from_edges(10, BICYCLOPENTYL)])


def model(form: str, encoder: str, seed: int) -> Hierarchy:
    """Two levels with random weights that are far from even."""
    torch.manual_seed(seed)
    made = Hierarchy(
        encoders=[Encoder(encoder, CHANNELS, 16), Encoder(encoder, 16, 16)],
        coarsenings=[BY_ROLE[form](), HAPCoarsening(16, 1)],
        readouts=[Readout(("sum", "mean", "max"))] * 3,
        out_channels=5,
    )
    return made.eval()


def apart(rows: Tensor) -> float:
    """The largest difference of two rows against the largest entry."""
    return float((rows[0] - rows[1]).abs().max() / rows.abs().max())


@torch.no_grad()
@pytest.mark.parametrize("encoder", encoder_names())
@pytest.mark.parametrize("form", BY_ROLE)
def test_atoms_of_one_role_are_assigned_alike_in_both_molecules(form: str, encoder: str) -> None:
    for seed in SEEDS:
        share = model(form, encoder, seed).levels(molecules())[0].assignment
        torch.testing.assert_close(share[:10], share[10:], atol=1e-5, rtol=0)
        if (form, encoder) == ("diffpool", "gcn"):
            assert (share[0] - share[2]).abs().max() > 1e-3  # and other roles otherwise


@torch.no_grad()
@pytest.mark.parametrize("form", BY_ROLE)
def test_assignment_by_role_gives_both_molecules_one_answer(form: str) -> None:
    for seed in SEEDS:
        trace = model(form, "gin", seed).trace(molecules())
        assert apart(trace.logits) < 1e-5
        assert apart(trace.levels[0].adj) < 1e-5


@torch.no_grad()
def test_losses_of_diffpool_are_one_for_both_molecules() -> None:
    role = torch.tensor([0, 1, 2, 2, 1, 0, 1, 2, 2, 1])
    for seed in SEEDS:
        torch.manual_seed(seed)
        layer, features = DiffPool(16, 4), torch.randn(3, 16)[role]
        found = []
        for edges in (DECALIN, BICYCLOPENTYL):
            batch = batch_of([from_edges(10, edges, features)])
            found.append(layer(batch.x, batch.adjacency, batch.segments).losses)
        torch.testing.assert_close(found[0], found[1], atol=1e-5, rtol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("encoder", encoder_names())
def test_assignment_by_place_tells_the_molecules_apart(encoder: str) -> None:
    found = []
    for seed in SEEDS:
        torch.manual_seed(seed)
        hap = HAP(CHANNELS, 16, out_channels=5, encoder=encoder, assignment="places").eval()
        found.append(apart(hap.embed(molecules())))
    assert min(found) > 1e-3
    assert statistics.median(found) > 1e-2
