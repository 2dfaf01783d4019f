from dataclasses import replace

import torch
from small import mutag

from graphpool.errors import DataError
from graphpool.experiments.example_files import load_in_worker, save_for_workers
from graphpool.graphs import graphset
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule

RULES = (
    PlaceRule(),
    PlaceRule("eigengap"),
    PlaceRule("given", clusters=3, most=3),
    PlaceRule(steps=0),
)


def refuse(*_, **__):
    raise AssertionError("places are worked out once more")


def test_graphs_arrive_with_their_places(tmp_path, monkeypatch):
    graphs = replace(mutag())
    save_for_workers(graphs, RULES, tmp_path)
    monkeypatch.setattr(graphset, "places_of", refuse)
    taken = load_in_worker(tmp_path, RULES)
    assert taken.ids == graphs.ids
    for rule in RULES:
        ours, theirs = graphs.places(rule), taken.places(rule)
        assert torch.equal(ours.cluster, theirs.cluster)
        assert torch.equal(ours.counts, theirs.counts)
        assert torch.equal(ours.share, theirs.share)


def test_without_rules_nothing_is_looked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(graphset, "places_of", refuse)
    save_for_workers(replace(mutag()), (), tmp_path)
    assert len(load_in_worker(tmp_path, ())) == len(mutag())


def test_what_cannot_be_found_is_left_to_those_who_need_it(tmp_path, monkeypatch):
    graphs, real = replace(mutag()), GraphSet.places

    def too_large(self, rule=None):
        if rule == RULES[1]:
            raise DataError("too many edges")
        return real(self, rule)

    monkeypatch.setattr(GraphSet, "places", too_large)
    save_for_workers(graphs, RULES, tmp_path)
    monkeypatch.setattr(graphset, "places_of", refuse)
    taken = load_in_worker(tmp_path, RULES)
    assert torch.equal(taken.places(RULES[2]).cluster, graphs.places(RULES[2]).cluster)
