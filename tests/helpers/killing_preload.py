"""What `killing` imports once, before it forks."""

import torch

import graphpool.cli.main
import graphpool.experiments.comparison
import graphpool.models.run
from graphpool import ged

torch.set_num_threads(1)  # threads do not survive a fork
torch.optim.Adam([torch.zeros(1, requires_grad=True)]).step()  # imports much on its first use
ged.distance((2, [(0, 1)]), (1, []))  # compiles, or loads what is compiled
PRELOADED = (graphpool.cli.main, graphpool.experiments.comparison, graphpool.models.run)
