"""The examples in the pages of the documentation."""

import re


def fenced(page: str, kind: str) -> list[str]:
    """The fenced examples of one kind, such as `python`."""
    return re.findall(rf"```{kind}\n(.*?)```", page, flags=re.DOTALL)
