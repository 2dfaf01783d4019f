"""Examples of two or three graphs: pairs, triplets, how they are sampled, and known distances."""

from graphpool.data.pairs.distances import Distances, read_distances
from graphpool.data.pairs.pairs_csv import read_pairs
from graphpool.data.pairs.pairset import PairBatch, PairSet
from graphpool.data.pairs.sampling import (
    TripletCount,
    count_triplets,
    draw_triplets,
    paper_counts,
    sample_triplets,
)
from graphpool.data.pairs.splits import PairSplit, split_pairs
from graphpool.data.pairs.storage import open_pairs, save_pairs
from graphpool.data.pairs.triplets import TripletBatch, TripletSet

__all__ = [
    "PairSet", "PairBatch", "read_pairs", "save_pairs", "open_pairs", "split_pairs", "PairSplit",
    "TripletSet", "TripletBatch", "sample_triplets", "draw_triplets", "count_triplets",
    "TripletCount", "paper_counts",    "Distances", "read_distances",
]  # fmt: skip
