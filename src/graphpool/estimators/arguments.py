"""Arguments of the estimators, made from the settings of `graphpool.config`.

Every setting that the task of an estimator uses is an argument of its `__init__`, with the default
that the task has for it, and is explained in its docstring. scikit-learn finds the arguments
through the signature, as it does those of its own estimators.
"""

import inspect
import re
import textwrap
from collections.abc import Mapping
from typing import Any

from graphpool.config import RENAMED, RunConfig, Setting, Task, defaults_for, settings_in
from graphpool.errors import ConfigError

_SECTIONS = ("model", "", "train")
# What the docstring of an estimator holds where the explanations of the arguments belong.
_MARK = re.compile(r"^( *)<arguments>$", re.MULTILINE)
# Type, default and explanation of arguments that are no settings.
_OWN: dict[str, tuple[type[Any], Any, str]] = {
    "validation": (
        float,
        0.1,
        "Share of the graphs given to `fit` that choose the epoch and are not learned from; 0 "
        "learns from all of them and keeps the last epoch.",
    ),
    "progress": (bool, False, "Show a bar if stderr is a terminal."),
}


def argument_settings(task: Task, aliases: Mapping[str, str]) -> dict[str, Setting]:
    """Return the settings that the task uses, by argument, in the order of the signature.

    Args:
        aliases: keys of further settings, by the arguments that stand for them.
    """
    known = {item.key: item for item in settings_in(RunConfig) if item.key not in ("task", "data")}
    found = {
        item.name: item
        for section in _SECTIONS
        for item in known.values()
        if item.section == section and item.estimator and item.used_by(task)
    }
    return {**found, **{name: known[key] for name, key in aliases.items()}}


def make_signature(task: Task, settings: Mapping[str, Setting]) -> inspect.Signature:
    """Return the signature of `__init__`; only the pooler may be given by position."""
    config = defaults_for(task)
    arguments = {name: (item.type, item.value_in(config)) for name, item in settings.items()}
    arguments |= {name: (hint, default) for name, (hint, default, _) in _OWN.items()}
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for name, (hint, default) in arguments.items():
        kind = inspect.Parameter.KEYWORD_ONLY if name != "pooler" else parameters[0].kind
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=hint))
    return inspect.Signature(parameters)


def explain_arguments(docstring: str, settings: Mapping[str, Setting]) -> str:
    """Return the docstring with an explanation of every argument in place of `<arguments>`."""
    texts = {name: item.sentence for name, item in settings.items()}
    texts |= {name: text for name, (_, _, text) in _OWN.items()}

    def lines(mark: re.Match[str]) -> str:
        wrapper = textwrap.TextWrapper(100, mark[1], f"{mark[1]}    ", break_on_hyphens=False)
        return "\n".join(wrapper.fill(f"{name}: {text}") for name, text in texts.items())

    return _MARK.sub(lines, docstring, count=1)


def refuse_old(estimator: str, name: str) -> None:
    """Raise a `ConfigError` that names the new name of an old argument."""
    for names in RENAMED.values():
        if name in names:
            raise ConfigError(f"{estimator}: {name} is now {names[name]}")
