"""Pairs of random graphs that match or do not, and simple rules that compare them."""

from typing import TYPE_CHECKING

from graphpool.imports import lazy_names

if TYPE_CHECKING:
    from graphpool.data.synthetic.matching.build import matching_pairs as matching_pairs
    from graphpool.data.synthetic.matching.names import is_matching_name as is_matching_name
    from graphpool.data.synthetic.matching.names import parse_matching_name as parse_matching_name
    from graphpool.data.synthetic.matching.rules import RULES as RULES
    from graphpool.data.synthetic.matching.rules import rule_accuracy as rule_accuracy

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "build": ("matching_pairs",),
        "names": ("is_matching_name", "parse_matching_name"),
        "rules": ("RULES", "rule_accuracy"),
    },
)
