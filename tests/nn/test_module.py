"""Every module refuses arguments of its constructor that no module can use."""

import pytest

from graphpool.errors import ConfigError
from graphpool.nn import encoders

LAYERS = [name for name in encoders.__all__ if name.endswith("Layer") and name != "EncoderLayer"]


@pytest.mark.parametrize("argument", ["in_channels", "out_channels"])
@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_has_channels(layer: str, argument: str) -> None:
    widths = {"in_channels": 8, "out_channels": 4}
    getattr(encoders, layer)(**widths)
    for value in (-1, 10**9, -(10**30)):
        with pytest.raises(ConfigError, match=rf"{argument} is {value}; give a whole number"):
            getattr(encoders, layer)(**widths | {argument: value})
