"""Parts that recur: learned from training graphs, found in any."""

from graphpool.graphs.parts.recurring import PartsFound, PartType, RecurringParts

__all__ = ["PartType", "PartsFound", "RecurringParts"]
