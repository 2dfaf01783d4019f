"""Splits: which graphs train, validate and test, and the files that hold them."""

from graphpool.data.splits.classes import class_split, divide, query_splits
from graphpool.data.splits.folds import cv_splits, random_splits, strata_of, stratified_folds
from graphpool.data.splits.split import Split, load_splits, save_splits

__all__ = [
    "Split", "stratified_folds", "cv_splits", "random_splits", "query_splits", "class_split",
    "divide", "strata_of", "save_splits", "load_splits",
]  # fmt: skip
