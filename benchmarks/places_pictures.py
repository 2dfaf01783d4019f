"""Draw the pictures of docs/places.md: roles and places, and what training leaves of clusters.

    python benchmarks/places_pictures.py

Writes docs/places_ring.png and docs/places_molecules.png, and what each model of the first one
reached on unseen graphs into results/benchmarks/places_ring.json; then `graphpool experiments
pages` puts that below the picture.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from common import measured_here
from places_drawing import INK, SOFT, Clustered, draw_coarse, draw_nodes, on_a_circle, save

from graphpool.config import ModelConfig, RunConfig, TrainConfig, to_dict
from graphpool.data.synthetic.arrangements import build as arrangements
from graphpool.files import write_json
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.refinement import node_colours
from graphpool.models.model import TrainedModel
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.report.data import Array

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results" / "benchmarks" / "places_ring.json"
MODELS = ("hap-paper", "diffpool", "hap-one-way")
SEED = 0
LEARN = 1000  # graphs, of which the last tenth chooses the epoch
RUN = RunConfig(
    data="ring",
    model=ModelConfig(),
    train=TrainConfig(epochs=15, schedule="cosine", seed=SEED, threads=1),
)

# Atom i has the same role in both molecules: 0 and 5 branch, 1, 4, 6 and 9 are next to them.
FIVE = [(0, 1), (1, 2), (2, 3), (3, 4)]
HALVES = [*FIVE, *((i + 5, j + 5) for i, j in FIVE), (0, 5)]
MOLECULES = {
    "decalin": [*HALVES, (4, 5), (9, 0)],
    "bicyclopentyl": [*HALVES, (4, 0), (9, 5)],
}


def main() -> None:
    """Train, test and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs", help="folder of the pictures")
    parser.add_argument("--json", type=Path, default=RESULTS)
    parser.add_argument("--graphs", type=int, default=LEARN, help="to learn from; as many test")
    parser.add_argument("--epochs", type=int, default=RUN.train.epochs)
    given = parser.parse_args()
    draw_molecules(given.out / "places_molecules.png")
    graphs = arrangements.make("ring", graphs=2 * given.graphs, seed=SEED)
    learn, unseen = graphs[: given.graphs], graphs[given.graphs :]
    run = replace(RUN, train=replace(RUN.train, epochs=given.epochs))
    models = {name: trained(name, learn, run) for name in MODELS}
    reached = {name: model.score(unseen) for name, model in models.items()}
    draw_ring(unseen[:1], models, reached, given.out / "places_ring.png")
    found = {
        **measured_here(),
        "graphs": given.graphs,
        "config": to_dict(run),
        "models": {
            name: {key: round(value, 4) for key, value in metrics.items()}
            for name, metrics in reached.items()
        },
    }
    write_json(given.json, found)


def trained(pooler: str, learn: GraphSet, run: RunConfig) -> TrainedModel:
    """A model of default settings, the last tenth of the graphs choosing the epoch."""
    parted = len(learn) - max(1, len(learn) // 10)
    run = replace(run, model=replace(run.model, pooler=pooler))
    return TrainedModel.fit(learn[:parted], learn[parted:], run, progress=True)


def adjacency_of(graph: GraphSet) -> Array:
    """Of a set of one graph, `[nodes, nodes]`."""
    dense = np.zeros((graph.num_nodes, graph.num_nodes))
    source, target = graph.flat_edges.numpy()
    dense[target, source] = 1
    return dense


def draw_ring(
    graph: GraphSet, models: dict[str, TrainedModel], reached: dict[str, dict[str, float]],
    path: Path,
) -> None:  # fmt: skip
    """One graph under each model, and the coarse graph below it."""
    adjacency = adjacency_of(graph)
    community = arrangements.communities(graph).numpy()
    position, centre = on_a_circle(community, adjacency)
    figure, grid = panels(("graph", "coarse graph"), len(models), (10.4, 7.4))
    for column, (name, model) in enumerate(models.items()):
        level, accuracy = model.levels(graph)[0], 100 * reached[name]["accuracy"]
        shown, beside = arranged(level, adjacency, community, centre)
        draw_nodes(grid[0][column], shown, position, 0.052)
        draw_coarse(grid[1][column], shown, beside, 0.6)
        letters(grid[0][column], graph, community, centre)
        grid[0][column].set_title(f"{name}\n{accuracy:.1f} % right", fontsize=12.5, color=INK)
    for axes in grid.flat:
        axes.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5))
    save(figure, path)


def letters(axes: Any, graph: GraphSet, community: Array, centre: Array) -> None:
    """The type of each community, by the label that most of its nodes have."""
    assert graph.node_label is not None
    for part, (x, y) in enumerate(centre.tolist()):
        most = np.bincount(graph.node_label.numpy()[community == part]).argmax()
        word = str(graph.node_label_names[most])
        axes.text(1.42 * x, 1.42 * y, word, ha="center", va="center", fontsize=11, color=SOFT)


def arranged(
    level: PoolOutput, adjacency: Array, community: Array, centre: Array
) -> tuple[Clustered, Array]:
    """The clusters of a graph in an order that goes around, and where each is drawn.

    One that is the strongest of some community stands where that does; the rest take what is free.
    """
    count = int(level.counts[0])
    share = level.assignment[:, :count].double().numpy()
    per = np.eye(len(centre))[community].T @ share  # [communities, clusters]
    spots = max(count, len(centre))
    angle = np.arctan2(*centre.T[::-1])
    around = np.argsort(-((angle - np.pi / 2 + 1e-9) % (2 * np.pi)))
    if spots > len(centre):
        turn = np.pi / 2 - 2 * np.pi * np.arange(spots) / spots
        beside = np.stack([np.cos(turn), np.sin(turn)], 1)
    else:
        beside = centre[around]
    if per.sum(0).max() > 0.9 * per.sum():  # one cluster has it all: the others stand around it
        most = int(per.sum(0).argmax())
        order = [most, *(cluster for cluster in range(count) if cluster != most)]
        turn = np.pi / 2 - 2 * np.pi * (np.arange(count - 1) + 0.5) / (count - 1)
        beside = np.stack([np.cos(turn), np.sin(turn)], 1)
        return reordered(level, adjacency, share, order), np.concatenate([[[0, 0]], beside])
    taken: dict[int, int] = {}
    for spot, part in enumerate(around.tolist()):
        strongest = int(per[part].argmax())
        if strongest not in taken.values():
            taken[spot] = strongest
    free = [spot for spot in range(spots) if spot not in taken]
    rest = [cluster for cluster in range(count) if cluster not in taken.values()]
    taken.update(zip(free, rest, strict=False))
    order = [taken[spot] for spot in sorted(taken)]
    return reordered(level, adjacency, share, order), beside[sorted(taken)]


def reordered(level: PoolOutput, adjacency: Array, share: Array, order: list[int]) -> Clustered:
    """The clusters in another order."""
    coarse = level.adj[0].double().numpy()[np.ix_(order, order)]
    return Clustered(adjacency, share[:, order], coarse)


def draw_molecules(path: Path) -> None:
    """Two molecules by role and by place, each with its coarse graph."""
    sets = {name: molecule(name, edges) for name, edges in MOLECULES.items()}
    figure, grid = panels(tuple(sets), 4, (10.4, 3.8))
    titles = ("by role", "coarse graph", "by place", "coarse graph")
    for row, (name, graph) in zip(grid, sets.items(), strict=True):
        adjacency, atoms = adjacency_of(graph), layout(name)
        roles = node_colours(graph)
        places = graph.places().cluster.numpy()
        for cluster, axes in ((roles, row[:2]), (places, row[2:])):
            share = np.eye(cluster.max() + 1)[cluster]
            bonds = share.T @ adjacency @ share
            bonds[np.diag_indices_from(bonds)] /= 2  # inside a cluster each is seen from both ends
            shown, words = Clustered(adjacency, share, bonds), [f"C{n:.0f}" for n in share.sum(0)]
            draw_nodes(axes[0], shown, atoms, 0.27)
            beside = clusters_at(share, atoms, by_role=cluster is roles)
            draw_coarse(axes[1], shown, beside, 0.85, words)
    for axes, title in zip(grid[0], titles, strict=True):
        axes.set_title(title, fontsize=12.5, color=INK)
    for axes in grid.flat:
        axes.set(xlim=(-2.4, 2.4), ylim=(-1.5, 1.5))
    save(figure, path)


def clusters_at(share: Array, atoms: Array, by_role: bool) -> Array:
    """Roles in a row, places amid their atoms."""
    if by_role:
        return np.stack([np.linspace(-1.7, 1.7, share.shape[1]), np.zeros(share.shape[1])], 1)
    return np.asarray(1.15 * (share.T @ atoms) / share.sum(0)[:, None])


def molecule(name: str, edges: list[tuple[int, int]]) -> GraphSet:
    """The carbon atoms of a molecule, as a set of one graph."""
    return GraphSet.build(
        name, torch.tensor([10]), torch.tensor([len(edges)]), torch.tensor(edges).T, undirected=True
    )


def layout(name: str) -> Array:
    """Atoms as a chemist draws them, one unit a bond, `[10, 2]`."""
    sides = 6 if name == "decalin" else 5
    radius = 0.5 / np.sin(np.pi / sides)
    if sides == 6:  # the shared bond stands upright, atom 0 above
        turn = np.pi / 6 + np.pi / 3 * np.arange(5)
        ring = radius * np.stack([np.cos(turn), np.sin(turn)], 1) - [np.sqrt(3) / 2, 0]
        return np.concatenate([ring, -ring])
    turn = 2 * np.pi / 5 * np.arange(5)
    ring = radius * np.stack([np.cos(turn), np.sin(turn)], 1) - [radius + 0.5, 0]
    return np.concatenate([ring, -ring])


def panels(rows: tuple[str, ...], columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """A figure of drawings without axes, each row with its name at the left."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(len(rows), columns, squeeze=False)
    for axes in grid.flat:
        axes.set(aspect="equal", xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
    for name, row in zip(rows, grid, strict=True):
        row[0].set_ylabel(name, fontsize=12.5, color=SOFT)
    return figure, grid


if __name__ == "__main__":
    main()
