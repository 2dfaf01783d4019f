"""Metrics, statistics of repeated measurements, protocols of evaluation, and baselines."""

from typing import TYPE_CHECKING

from graphpool.imports import lazy_names

if TYPE_CHECKING:
    from graphpool.evaluation.protocols import PROTOCOLS as PROTOCOLS
    from graphpool.evaluation.protocols import Protocol as Protocol
    from graphpool.evaluation.protocols import find_protocol as find_protocol
    from graphpool.evaluation.ranking import ranking_metrics as ranking_metrics
    from graphpool.evaluation.statistics import Summary as Summary
    from graphpool.evaluation.statistics import paired_difference as paired_difference
    from graphpool.evaluation.statistics import summarise as summarise
    from graphpool.evaluation.statistics import wilson as wilson

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "statistics": ("Summary", "summarise", "paired_difference", "wilson"),
        "ranking": ("ranking_metrics",),
        "protocols": ("Protocol", "PROTOCOLS", "find_protocol"),
    },
    modules=("baselines", "metrics", "protocols", "ranking", "statistics"),
)
