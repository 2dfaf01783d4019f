"""The examples in the pages of the documentation."""

import re
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path


def fenced(page: str, kind: str) -> list[str]:
    """The fenced examples of one kind, such as `python`."""
    return re.findall(rf"```{kind}\n(.*?)```", page, flags=re.DOTALL)


def printed_by(code: str, folder: Path) -> str:
    """What a program prints that is run in a folder.

    In this process, which has imported torch: that takes longer than most examples.
    """
    with chdir(folder), redirect_stdout(StringIO()) as printed:
        exec(compile(code, "example", "exec"), {"__name__": "__main__"})
    return printed.getvalue()
