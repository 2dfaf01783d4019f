"""A map of graphs: their vectors laid out in the plane by t-SNE, one mark per graph."""

import math

import numpy as np

from graphpool.errors import DataError, plural
from graphpool.report.data import Array, EmbeddingPlot
from graphpool.report.draw.layout import oriented
from graphpool.report.draw.svg import MARKERS, class_marker, counted, key, number, text

WIDTH, TALLEST, MARGIN = 900, 620, 24
FEWEST_FOR_TSNE = 5
MOST_CHANNELS = 50
MOST_TOOLTIPS = 2000
MANY_GRAPHS = 3000


def layout(vectors: Array, seed: int = 0) -> Array:
    """Place each row of `vectors` (`[graphs, channels]`) in the plane, `[graphs, 2]`.

    t-SNE with a perplexity that fits the number of graphs; with fewer than five graphs, or when
    all vectors are equal, the two first principal components. The same seed gives the same map.
    """
    points = np.asarray(vectors, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise DataError(
            f"the vector of graph {bad[0]} is not finite, so no map can be drawn; "
            "train with a smaller learning rate or gradient clipping"
        )
    parts = principal_components(points, MOST_CHANNELS)
    graphs = len(parts)
    plane = np.zeros((graphs, 2))
    plane[:, : min(2, parts.shape[1])] = parts[:, :2]
    spread = plane[:, 0].std() if graphs else 0.0
    if graphs < FEWEST_FOR_TSNE or spread <= 1e-12 * max(1.0, float(np.abs(points).max())):
        return plane
    from sklearn.manifold import TSNE

    # A little noise frees vectors that lie on one line or coincide; 1e-4 is t-SNE's usual scale.
    noise = np.random.default_rng(seed).normal(scale=1e-6, size=plane.shape)
    start = (plane / spread * 1e-4 + noise).astype(np.float32)
    tsne = TSNE(
        perplexity=perplexity(graphs),
        init=start,
        learning_rate="auto",
        # Large maps settle early, and each step of theirs is slow.
        max_iter=500 if graphs > MANY_GRAPHS else 1000,
        random_state=seed,
        n_jobs=1,
    )
    return np.asarray(tsne.fit_transform(parts.astype(np.float32)), dtype=np.float64)


def perplexity(graphs: int) -> float:
    """About how many neighbours count: 30, or a third of a small collection."""
    return max(1.0, min(30.0, (graphs - 1) / 3))


def principal_components(points: Array, most: int) -> Array:
    """Coordinates of `points` along their principal axes, `[graphs, at most most]`."""
    centred = points - points.mean(axis=0, keepdims=True)
    left, size, _ = np.linalg.svd(centred, full_matrices=False)
    scores: Array = left[:, :most] * size[:most]
    return oriented(scores) if scores.size else scores


def graph_map(plot: EmbeddingPlot, seed: int = 0) -> str:
    """The map as SVG with its legend; misclassified graphs carry a dark outline."""
    if not len(plot.vectors):
        return ""
    points, height = _fit(layout(plot.vectors, seed))
    y = np.asarray(plot.y).astype(int)
    wrong = np.zeros(len(y), dtype=bool)
    if plot.predicted is not None:
        wrong = np.asarray(plot.predicted).astype(int) != y
    size = max(0.55, min(1.25, 14 / math.sqrt(len(y))))
    shapes = "".join(
        f'<path id="m{shape}" d="{MARKERS[shape]}"/>'
        for shape in sorted({class_marker(kind)[1] for kind in np.unique(y).tolist()})
    )
    parts = [f"<defs>{shapes}</defs>"]
    # Wrong ones last, so that no neighbour hides them.
    for missed in (False, True):
        for kind in np.unique(y).tolist():
            chosen = np.flatnonzero((y == kind) & (wrong == missed))
            if len(chosen):
                tone, _ = class_marker(kind)
                marks = "".join(_mark(plot, int(row), points[row], missed) for row in chosen)
                css = "pt wrong" if missed else "pt"
                parts.append(f'<g class="{css}" style="fill:var(--c{tone})">{marks}</g>')
    label = f"Map of {plural(len(y), 'graph')} coloured by class"
    return (
        f'<figure class="wide"><svg class="map" role="img" aria-label="{label}" '
        f'viewBox="0 0 {WIDTH} {height:.0f}" style="--size:{size:.2f}">{"".join(parts)}</svg>'
        f"{_legend(plot, y, wrong)}</figure>"
    )


def _fit(plane: Array) -> tuple[Array, float]:
    """Places in the picture, and its height: no taller than the points need.

    t-SNE has no directions, so the map may be turned: its long axis lies across the page.
    """
    turned = principal_components(plane, 2)
    turned = np.pad(turned, ((0, 0), (0, 2 - turned.shape[1])))
    low, high = turned.min(axis=0), turned.max(axis=0)
    space = np.array([WIDTH, TALLEST]) - 2 * MARGIN
    extent = np.maximum(high - low, 1e-9)
    # Equal vectors all stand in the middle.
    scale = 0.0 if extent.max() <= 1e-9 else float((space / extent).min())
    height = max(160.0, float(extent[1]) * scale + 2 * MARGIN)
    return np.asarray([WIDTH / 2, height / 2] + (turned - (low + high) / 2) * scale), height


def _mark(plot: EmbeddingPlot, row: int, place: Array, missed: bool) -> str:
    kind = int(plot.y[row])
    shape = class_marker(kind)[1]
    use = f'<use href="#m{shape}" x="{number(place[0])}" y="{number(place[1])}"'
    if len(plot.y) > MOST_TOOLTIPS and not missed:
        return f"{use}/>"
    says = f"{plot.ids[row]}: {class_name(plot, kind)}"
    if missed and plot.predicted is not None:
        says += f", predicted {class_name(plot, int(plot.predicted[row]))}"
    return f"{use}><title>{text(says)}</title></use>"


def class_name(plot: EmbeddingPlot, kind: int) -> str:
    """Name of a class, or its number where no name is known."""
    return str(plot.class_names[kind]) if 0 <= kind < len(plot.class_names) else f"class {kind}"


def _legend(plot: EmbeddingPlot, y: Array, wrong: Array) -> str:
    items = []
    for kind in np.unique(y).tolist():
        tone, shape = class_marker(kind)
        mark = f'<path d="{MARKERS[shape]}" style="fill:var(--c{tone})"/>'
        items.append((mark, text(class_name(plot, kind)), int((y == kind).sum())))
    if plot.predicted is not None:
        mark = f'<path class="wrong" d="{MARKERS[0]}"/>'
        items.append((mark, "misclassified", int(wrong.sum())))
    marker = '<svg class="marker" viewBox="-8 -8 16 16" aria-hidden="true">{}</svg>'
    return key(*((marker.format(mark), counted(name, count)) for mark, name, count in items))
