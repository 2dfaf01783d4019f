"""Which settings a network uses: those of two networks may differ and yet build the same."""

from dataclasses import replace

from graphpool.config import ModelConfig
from graphpool.nn.zoo.build import METHODS, SOFT, TWO_WAY
from graphpool.nn.zoo.families import CLUSTERS
from graphpool.nn.zoo.rules import RATIO

_COARSENING = ("clusters", "ratio", "resolution")
_ENCODER = ("encoder", "num_layers", "heads", "norm", "residual", "jumping_knowledge")
# Networks that read out the last level alone, unless `gather` says otherwise.
_LAST_ONLY = ("hap-paper", "hap-meanpool", "hap-meanattpool", "hap-sagpool", "hap-diffpool")
# Settings of how many places there are.
_HOW_MANY = ("clusters", "cluster_count", "max_clusters", "ratio", "resolution")
# Values of `units` that need no resolution.
_WITHOUT_RESOLUTION = ("recurring", "graph", "nodes", "validation")


def unused_settings(config: ModelConfig) -> tuple[str, ...]:
    """Return settings of coarsening, readout and encoder that change nothing in the network.

    Of `clusters`, `ratio` and `resolution` it uses the one that sets how coarse its graphs are.
    Flat networks use none; that `sort` takes the number of nodes that it reads from `clusters` is
    no coarsening.
    """
    if config.pooler not in METHODS:  # it compares two graphs
        return ()
    unused = {key for key in _COARSENING if key != coarsening_setting(config)}
    if not _uses_readout(config):
        unused.add("readout")
    if config.pooler == "structure-free":
        unused.update(_ENCODER)
    elif config.encoder not in ("gat", "gatv2"):
        unused.add("heads")
    if config.pooler == "hap":
        unused.update(SOFT)
    else:
        unused.update(key for key in TWO_WAY if key != "gather")
    if _is_flat(config):
        unused.add("gather")
    return tuple(sorted(unused))


def idle_settings(config: ModelConfig) -> dict[str, str]:
    """Return settings of places that change nothing beside the others, and which one is why.

    Such as the resolution, where parts that recur are the places. Some of these can't be given
    together in the first place.
    """
    network = METHODS.get(config.pooler)
    if network is None or network.rule is None or config.assignment in ("content", "static"):
        return {}
    both_ways, single = config.pooler == "hap", config.units in ("graph", "nodes")
    units, found = f"model.units = {config.units!r}", dict[str, str]()
    if both_ways and single:
        found = dict.fromkeys(_HOW_MANY, units)
        if config.units == "nodes" and not config.whole_graph:
            found |= dict.fromkeys(("down", "gate", "gather"), units)
    elif config.clusters:
        others = [key for key in (*_HOW_MANY, "units") if key not in ("clusters", "ratio")]
        found = dict.fromkeys(others, f"model.clusters = {list(config.clusters)}")
    elif config.units == "recurring":
        found = dict.fromkeys([key for key in _HOW_MANY if key != "clusters"], units)
    elif config.units == "validation":
        found = {"resolution": units}
    elif config.cluster_count == "validation":
        found = {"resolution": "model.cluster_count = 'validation'"}
    if config.down == "never":
        found["gate"] = "model.down = 'never'"
    return found


def coarsening_setting(config: ModelConfig) -> str | None:
    """Return the setting that says how coarse the graphs of the network are, if there is one."""
    network = METHODS[config.pooler]
    if network.family in ("flat", "rule"):
        return None
    if config.ratio or network.takes == "ratio":
        return "ratio"
    by_place = network.rule is not None and config.assignment not in ("content", "static")
    if not by_place or config.clusters:
        return "clusters"
    found = config.cluster_count == "modularity" and config.units not in _WITHOUT_RESOLUTION
    return "resolution" if found else None


def explicit_model(config: ModelConfig) -> ModelConfig:
    """Return the same network with its default number of clusters, or ratio, written out."""
    setting = coarsening_setting(config) if config.pooler in METHODS else None
    if setting == "clusters" and not config.clusters:
        return replace(config, clusters=CLUSTERS)
    if setting == "ratio" and not config.ratio:
        return replace(config, ratio=RATIO)
    return config


def _is_flat(config: ModelConfig) -> bool:
    """Whether the network has one level; HAP with a flat pooler inside has more."""
    return METHODS[config.pooler].family in ("flat", "rule") and config.pooler not in _LAST_ONLY


def _uses_readout(config: ModelConfig) -> bool:
    """Whether reductions of `readout` read several nodes or clusters."""
    if _is_flat(config):
        return config.pooler in ("flat", "concat")
    last = config.gather == "last" or (config.gather == "default" and config.pooler in _LAST_ONLY)
    return not (last and _ends_with_one(config))


def _ends_with_one(config: ModelConfig) -> bool:
    """Whether the last level is one cluster."""
    if METHODS[config.pooler].family == "flat":
        return True  # the one that HAP has of a flat pooler
    if METHODS[config.pooler].takes == "ratio" and config.pooler not in _LAST_ONLY:
        return False
    default = () if config.pooler == "hap" else CLUSTERS
    return (config.clusters or default)[-1:] == (1,)
