"""Splits: which graphs train, validate and test, and the files that hold them."""

from graphpool.data.splits.classes import class_split, divide, query_splits
from graphpool.data.splits.columns import (
    grouped_folds,
    largest_first,
    names_parts,
    ordered_split,
    part_splits,
)
from graphpool.data.splits.folds import cv_splits, random_splits, strata_of, stratified_folds
from graphpool.data.splits.split import Split, load_splits, save_splits

__all__ = [
    "Split", "stratified_folds", "cv_splits", "random_splits", "query_splits", "class_split",
    "divide", "strata_of", "part_splits", "names_parts", "grouped_folds", "largest_first",
    "ordered_split", "save_splits", "load_splits",
]  # fmt: skip
