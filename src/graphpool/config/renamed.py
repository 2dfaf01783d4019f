"""Settings and networks that were called otherwise in graphpool 0.1.0.

A config file, `--set` or an estimator argument with an old name is an error that names the new
one. Files that graphpool 0.1.0 wrote itself (models, checkpoints, the `config.toml` of a run) are
read with `current_names`. There `hap` meant what is now `hap-one-way`; settings of a network that
are written now have `down`, by which they are told apart.
"""

from collections.abc import Mapping
from typing import Any

# Old and new names, by section.
RENAMED: Mapping[str, Mapping[str, str]] = {
    "model": {
        "most": "max_clusters",
        "count": "cluster_count",
        "jump": "jumping_knowledge",
        "cut": "cut_loss",
        "profile": "cluster_profile",
        "layers": "num_layers",
    },
    "train": {"clip": "clip_norm"},
}


def renamed_hint(section: str, name: str) -> str | None:
    """Return `model.most is now model.max_clusters` for an old name, None for any other."""
    new = RENAMED.get(section, {}).get(name)
    return None if new is None else f"{section}.{name} is now {section}.{new}"


def current_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run, by section, with old names replaced by those of today."""
    found = _translated(values, RENAMED)
    if isinstance(model := found.get("model"), dict):
        found["model"] = current_network(model)
    return found


def current_network(model: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of a network with the name and the values that they have today."""
    found = dict(model)
    if model.get("pooler") == "hap" and "down" not in model:
        found["pooler"] = "hap-one-way"
    if isinstance(gate := model.get("gate"), bool):
        found["gate"] = "on" if gate else "off"
    return found


def original_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run under the names of 0.1.0, from which keys of units are made."""
    old = {
        section: {new: name for name, new in names.items()} for section, names in RENAMED.items()
    }
    return _translated(values, old)


def current_header(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the header of a checkpoint with the names of today.

    Its `config` holds the settings of the training, and `extra` may hold those of the model.
    """
    config, extra = header.get("config"), header.get("extra")
    found = dict(header)
    if isinstance(config, dict):
        found["config"] = current_names({"train": config})["train"]
    if isinstance(extra, dict):
        found["extra"] = current_names(extra)
        # 0.1.0 wrote down that Python answered codes, where it answers labels now.
        found["extra"].pop("labels", None)
    return found


def _translated(
    values: Mapping[str, Any], names: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    return {
        section: {names[section].get(key, key): value for key, value in own.items()}
        if section in names and isinstance(own, dict)
        else own
        for section, own in values.items()
    }
