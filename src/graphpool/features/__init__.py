"""Node features: fitted on training graphs, applied to any graphs, stored as plain values.

`FeaturePipeline("labels+rw:8")` is the way in; `KINDS` lists what can stand in the string.
"""

from graphpool.features.base import Feature
from graphpool.features.pipeline import FeaturePipeline
from graphpool.features.registry import KINDS

__all__ = ["Feature", "FeaturePipeline", "KINDS"]
