"""Ids of the graphs of a file so far, to find one that comes twice."""

import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from graphpool.errors import WriteError


class SeenIds:
    """Ids and their lines, in a table of SQLite: it takes less than strings, and none on disk.

    Args:
        database: `:memory:`, or nothing for a temporary file of SQLite, of which 2 MiB are in
            memory.
    """

    def __init__(self, database: str = ":memory:") -> None:
        with _explained():
            self._table = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
            weakref.finalize(self, self._table.close)
            self._table.execute("PRAGMA journal_mode = OFF")
            self._table.execute("PRAGMA synchronous = OFF")
            self._table.execute("CREATE TABLE ids (id BLOB PRIMARY KEY, line INT) WITHOUT ROWID")
            self._table.execute("BEGIN")

    def add(self, identity: str, line: int | None = None) -> int | None:
        """Add an id.

        Returns:
            None; if it is there already, the line that it came in, 0 for an unknown one.
        """
        key = identity.encode()
        with _explained():
            try:
                self._table.execute("INSERT INTO ids VALUES (?, ?)", (key, line or 0))
            except sqlite3.IntegrityError:
                found = self._table.execute("SELECT line FROM ids WHERE id = ?", (key,)).fetchone()
                return int(found[0])
        return None


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise WriteError(
            f"the folder for temporary files can't be written: {error}; set TMPDIR to another one"
        ) from None
