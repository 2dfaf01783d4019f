"""`graphpool tell-apart`: how many pairs of graphs untrained networks tell apart."""

from typing import Annotated

import typer

from graphpool.cli import options as options
from graphpool.cli.data_arguments import open_graphs
from graphpool.cli.output import print_result
from graphpool.config import RunConfig, settings_in

_USED = ("features", "model.encoder", "model.hidden_channels", "model.num_layers",
         "model.clusters", "model.assignment", "model.connect", "model.cluster_count",
         "model.resolution", "model.units")  # fmt: skip


@options.with_settings(without=[s.key for s in settings_in(RunConfig) if s.key not in _USED])
def tell_apart(
    data: Annotated[
        str,
        typer.Argument(
            help="A file or set of graphs; 0 and 1 are a pair, 2 and 3, and so on, as in BREC."
        ),
    ],
    *,
    methods: Annotated[
        str, typer.Option(help="Joined by commas; see graphpool list.")
    ] = "flat,hap-one-way,hap",
    seeds: Annotated[int, typer.Option(min=1, help="How many first weights are tried.")] = 3,
    given: options.Given,
    config: options.ConfigFile = None,
    assignments: options.Assignments = None,
    root: options.Root = None,
    json: options.Json = False,
) -> None:
    """Count the pairs of graphs that untrained networks tell apart beyond rounding.

    Colour refinement (1-WL), which bounds networks without places, stands beside them. --json
    lists the pairs that are not told apart.
    """
    run = options.settings(config, given, assignments)
    from graphpool.experiments.tell_apart import tell_apart as compare
    from graphpool.nn.zoo.build import find_method

    names = options.words(methods)
    for name in names:
        find_method(name)
    options.check_names(run, given, names, assignments)
    result = compare(open_graphs(data, root), names, run, seeds)
    print_result(json, result.document(), result.lines())
