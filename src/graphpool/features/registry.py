"""The kinds of features by name."""

from graphpool.errors import ConfigError, nearest
from graphpool.features.attributes import Attributes
from graphpool.features.base import Feature
from graphpool.features.constant import Constant
from graphpool.features.degree import BinnedDegree, Degree, LogDegree
from graphpool.features.eigenvectors import Eigenvectors
from graphpool.features.given import Given
from graphpool.features.labels import Labels
from graphpool.features.randomwalk import RandomWalk

KINDS: dict[str, type[Feature]] = {
    "labels": Labels,
    "degree": Degree,
    "bindegree": BinnedDegree,
    "logdegree": LogDegree,
    "constant": Constant,
    "attributes": Attributes,
    "rw": RandomWalk,
    "eigen": Eigenvectors,
    "given": Given,
}
"""What can be in a feature string, besides `auto`."""

AUTO = "auto"


def parse(item: str) -> Feature:
    """Make an unfitted feature from `kind` or `kind:argument`."""
    kind, colon, argument = item.partition(":")
    if kind not in KINDS:
        raise ConfigError(f"features: unknown kind {kind!r}; {nearest(kind, [*KINDS, AUTO])}")
    return KINDS[kind].parse(argument if colon else None)
