from graphpool.training.health_warnings import health_warnings


def test_a_healthy_level_gives_no_warning():
    metrics = {"level1/clusters": 8.0, "level1/effective_rank": 2.0, "level1/off_identity": 0.5}
    assert health_warnings(metrics) == []


def test_a_level_of_rank_one_is_named():
    metrics = {
        "accuracy": 0.9,
        "level1/clusters": 8.0,
        "level1/effective_rank": 2.0,
        "level2/clusters": 4.0,
        "level2/effective_rank": 1.1,
    }
    (warning,) = health_warnings(metrics)
    assert "level 2 has collapsed" in warning
    assert "1.10" in warning


def test_graphs_of_hardly_more_than_one_place_have_nothing_to_collapse():
    metrics = {"level1/clusters": 1.1, "level1/effective_rank": 1.05, "level1/off_identity": 0.9}
    assert health_warnings(metrics) == []


def test_an_identity_coarse_graph_is_named():
    metrics = {"level1/clusters": 8.0, "level1/effective_rank": 3.0, "level1/off_identity": 0.01}
    (warning,) = health_warnings(metrics)
    assert "level 1 has its coarse graph switched off" in warning


def test_two_problems_of_a_level_are_one_warning():
    metrics = {"level1/clusters": 8.0, "level1/effective_rank": 1.0, "level1/off_identity": 0.0}
    (warning,) = health_warnings(metrics)
    assert "collapsed" in warning
    assert "switched off" in warning


def test_ten_levels_are_not_mistaken_for_one():
    metrics = {"level1/effective_rank": 3.0, "level10/effective_rank": 1.0}
    (warning,) = health_warnings(metrics)
    assert warning.startswith("level 10 ")
