"""Concatenate sets; labels and classes are matched by name."""

from collections import Counter
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from graphpool.errors import DataError, check_type
from graphpool.graphs.columns import join_columns
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.places.find import Places
from graphpool.graphs.segments import pointer

_CODED = {"node_label": "node_label_names", "edge_label": "edge_label_names", "y": "classes"}
_PLAIN = ("node_attr", "edge_attr", "graph_attr", "graph_weight", "x", "edge_x", "target")


def concatenate(sets: Sequence[GraphSet], name: str | None = None) -> GraphSet:
    """Concatenate several sets.

    Labels and classes are matched by name and keep the order in which they first appear. Where
    graph ids clash, every id gets its set's name in front. All sets must have the same fields;
    only edge weights may be missing in some, where they are 1, and text columns, where they are
    empty. By default the result is named by the names of the sets, joined with `+`. It has the
    places that are known of all sets.
    """
    check_type("sets", sets, (list, tuple), "a list of sets")
    for part in sets:
        check_type("a set", part, GraphSet, "a GraphSet")
    if not sets:
        raise DataError("there is nothing to concatenate; give at least one set")
    made: dict[str, Tensor | None] = {"edge_weight": _weights(sets)}
    merged: dict[str, tuple[Name, ...]] = {}
    for key, vocabulary in _CODED.items():
        merged[vocabulary] = _merge(getattr(part, vocabulary) for part in sets)
        made[key] = _stack(sets, key, [_recode(part, key, merged[vocabulary]) for part in sets])
    for key in _PLAIN:
        made[key] = _stack(sets, key, [getattr(part, key) for part in sets])
    names = {part.target_names for part in sets if part.target is not None}
    if len(names) > 1:
        first, other = sorted(", ".join(each) for each in names)[:2]
        raise DataError(
            f"one set has the targets {first}, another {other}; give them the same, in one order"
        )
    joined = GraphSet(
        name=name if name is not None else "+".join(dict.fromkeys(part.name for part in sets)),
        node_ptr=pointer(torch.cat([part.node_counts for part in sets])),
        edge_ptr=pointer(torch.cat([part.edge_counts for part in sets])),
        edge_index=torch.cat([part.edge_index for part in sets], dim=1),
        ids=_ids(sets),
        notes=tuple(f"{part.name}: {note}" for part in sets for note in part.notes),
        target_names=names.pop() if names else (),
        columns=join_columns((part.columns, len(part)) for part in sets),
        x_from=sets[0].x_from if len({part.x_from for part in sets}) == 1 else "",
        **made,  # type: ignore[arg-type]
        **merged,  # type: ignore[arg-type]
    )
    for rule in sets[0]._places:
        if all(rule in part._places for part in sets):
            joined._places[rule] = Places.join([part._places[rule] for part in sets])
    return joined


def _merge(vocabularies: Iterable[tuple[Name, ...]]) -> tuple[Name, ...]:
    """Return all names once, in order of first appearance; 1 and "1" are different names."""
    seen = {(isinstance(name, str), name): name for names in vocabularies for name in names}
    return tuple(seen.values())


def _recode(part: GraphSet, key: str, names: tuple[Name, ...]) -> Tensor | None:
    """Return the codes of one set in the merged vocabulary; negative codes (none) stay."""
    codes: Tensor | None = getattr(part, key)
    own: tuple[Name, ...] = getattr(part, _CODED[key])
    if codes is None or own == names[: len(own)]:
        return codes
    new_code = {(isinstance(name, str), name): code for code, name in enumerate(names)}
    table = torch.tensor([new_code[isinstance(name, str), name] for name in own])
    return torch.where(codes < 0, codes, table.to(codes)[codes.long().clamp(min=0)])


def _stack(sets: Sequence[GraphSet], key: str, parts: list[Tensor | None]) -> Tensor | None:
    having = [part for part in parts if part is not None]
    if not having:
        return None
    if key.startswith("edge"):
        # Where there are no edges nothing is missing.
        parts = [
            having[0][:0] if part is None and not graphs.num_edges else part
            for graphs, part in zip(sets, parts, strict=True)
        ]
    for graphs, part in zip(sets, parts, strict=True):
        if part is None:
            has = next(other.name for other in sets if getattr(other, key) is not None)
            raise DataError(
                f"{graphs.name} has no {key}, but {has} has; drop it from the others with "
                f"dataclasses.replace(graphs, {key}=None), or add it to {graphs.name}"
            )
        if part.shape[1:] != having[0].shape[1:]:
            raise DataError(
                f"{graphs.name} has {part.shape[1]} channels of {key}, but {sets[0].name} has "
                f"{having[0].shape[1]}; sets to concatenate need the same"
            )
    return torch.cat([part for part in parts if part is not None])


def _weights(sets: Sequence[GraphSet]) -> Tensor | None:
    if all(part.edge_weight is None for part in sets):
        return None
    return torch.cat(
        [
            torch.ones(part.num_edges, device=part.device)
            if part.edge_weight is None
            else part.edge_weight
            for part in sets
        ]
    )


def _ids(sets: Sequence[GraphSet]) -> tuple[str, ...]:
    """Return all ids; where they clash, with the set's name (and number, if names clash too)."""
    plain = [identity for part in sets for identity in part.ids]
    if len(set(plain)) == len(plain):
        return tuple(plain)
    shared = Counter(part.name for part in sets)
    return tuple(
        f"{part.name}#{number}/{identity}" if shared[part.name] > 1 else f"{part.name}/{identity}"
        for number, part in enumerate(sets, start=1)
        for identity in part.ids
    )
