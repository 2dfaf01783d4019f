"""Places: the parts of a graph that hang together, found once per set."""

from graphpool.graphs.places.find import Places, places_of
from graphpool.graphs.places.rule import PlaceRule

__all__ = ["PlaceRule", "Places", "places_of"]
