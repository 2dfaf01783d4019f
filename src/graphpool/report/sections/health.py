"""Health of the coarsening: whether clusters formed and are connected."""

from collections.abc import Sequence

from graphpool.report.data import LevelHealth
from graphpool.report.draw.svg import bar, figure, text
from graphpool.training.health_warnings import OFF_IDENTITY_LIMIT, RANK_LIMIT

WEAK_RANK = 1.5


def verdict(health: LevelHealth, learned: bool = True) -> tuple[str, str]:
    """`good`, `weak`, `bad` or `none` (nothing to judge), and one sentence that says why.

    Args:
        learned: whether the model is better than the majority class; if not, no level is `good`.
    """
    if health.clusters <= 1:
        return "none", "One cluster gathers everything: this level is a sum, nothing to collapse."
    if health.clusters < RANK_LIMIT:
        return "none", "Hardly a graph has more than one place: there is nothing to tell apart."
    rank, off = health.effective_rank, health.off_identity
    if rank is not None and rank < RANK_LIMIT:
        return "bad", "Collapsed: all nodes share their membership in the same way."
    if off is not None and off < OFF_IDENTITY_LIMIT:
        return "bad", "Switched off: no edges between clusters, so layers above see no structure."
    if rank is not None and rank < WEAK_RANK:
        return "weak", "Weak: clusters differ only slightly from one another."
    if rank is None and off is None:
        if health.places:
            return "none", "Places are found, not learned: there is nothing to collapse."
        return "none", "Not measured."
    if not learned:
        return "weak", "Clusters differ and are connected, but the model has learned nothing."
    return "good", "Healthy: clusters differ, and the coarse graph connects them."


def health_section(levels: Sequence[LevelHealth], learned: bool = True) -> str:
    """One card per level with a meter for each figure."""
    return f'<div class="cards">{"".join(_card(level, learned) for level in levels)}</div>'


def warning_box(warnings: Sequence[str]) -> str:
    """Warnings where nobody can overlook them."""
    if not warnings:
        return ""
    items = "".join(f"<li>{text(warning)}</li>" for warning in warnings)
    title = "One warning" if len(warnings) == 1 else f"{len(warnings)} warnings"
    return f'<aside class="warning"><h2>{title}</h2><ul>{items}</ul></aside>'


def _card(health: LevelHealth, learned: bool) -> str:
    kind, judged = verdict(health, learned)
    clusters = max(health.clusters, 1)
    noun = "place" if health.places else "cluster"
    amount = figure(round(clusters, 1))
    meters, nouns = "", f"{noun.capitalize()}s"
    if clusters == 1:
        health = LevelHealth(health.level, 1.0)  # every figure of one cluster is trivial
    rank, used = health.effective_rank, health.clusters_in_use
    entropy, off = health.entropy, health.off_identity
    if rank is not None:
        words = f"How many {noun}s the assignment really tells apart; 1 means none."
        share = (rank - 1) / (clusters - 1)
        meters += _meter("Effective rank", f"{rank:.2f} of {amount}", share, words)
    if used is not None:
        words = f"{nouns} that are some node’s strongest, in an average graph."
        meters += _meter(f"{nouns} in use", f"{used:.1f} of {amount}", used / clusters, words)
    if entropy is not None:
        words = f"Entropy of a node’s memberships: 0 % in one {noun} only, 100 % in all alike."
        meters += _meter("Sharing", f"{100 * entropy:.0f} %", entropy, words)
    if off is not None:
        words = "How far the coarse graph is from having no edges at all; 0 means switched off."
        meters += _meter("Coarse edges", f"{off:.2f}", off, words)
    return (
        f'<div class="card {kind}"><h3>Level {health.level} '
        f'<span class="soft">{amount} {noun}{"" if clusters == 1 else "s"}'
        f"{' a graph' if health.places else ''}</span></h3>"
        f'<p class="verdict">{judged}</p>{meters}</div>'
    )


def _meter(name: str, value: str, share: float, words: str) -> str:
    return (
        f'<div class="meter"><p><b>{name}</b> <span class="value">{value}</span></p>'
        f'{bar(min(max(share, 0.0), 1.0))}<p class="note">{words}</p></div>'
    )
