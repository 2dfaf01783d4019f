"""Settings of a run: frozen dataclasses, written and read as TOML.

`run` declares them, each once, with the help, choices and range from which command-line options,
`graphpool list`, estimator arguments and checks are made (`setting`). A new option is one field.
"""

from graphpool.config.convert import from_dict as from_dict
from graphpool.config.convert import read_toml as read_toml
from graphpool.config.convert import to_dict as to_dict
from graphpool.config.convert import toml_values as toml_values
from graphpool.config.convert import write_toml as write_toml
from graphpool.config.model import ModelConfig as ModelConfig
from graphpool.config.renamed import RENAMED as RENAMED
from graphpool.config.renamed import current_header as current_header
from graphpool.config.renamed import current_names as current_names
from graphpool.config.renamed import original_names as original_names
from graphpool.config.renamed import renamed_hint as renamed_hint
from graphpool.config.resolve import MOST_HARD as MOST_HARD
from graphpool.config.resolve import MOST_SOFT as MOST_SOFT
from graphpool.config.resolve import USES_EDGES as USES_EDGES
from graphpool.config.resolve import completed_model as completed_model
from graphpool.config.resolve import resolve as resolve
from graphpool.config.resolve import resolve_model as resolve_model
from graphpool.config.resolve import resolve_scoring as resolve_scoring
from graphpool.config.resolve import resolve_shared as resolve_shared
from graphpool.config.resolve import with_gates as with_gates
from graphpool.config.run import CompareConfig as CompareConfig
from graphpool.config.run import RunConfig as RunConfig
from graphpool.config.run import Task as Task
from graphpool.config.run import TrainConfig as TrainConfig
from graphpool.config.run import defaults_for as defaults_for
from graphpool.config.setting import Setting as Setting
from graphpool.config.setting import settings_in as settings_in
