"""Download a file over HTTP: complete and checked under its final name, or not at all."""

import hashlib
import http.client
import logging
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphpool.errors import DataError, DownloadError, WriteError
from graphpool.files import atomic_write

log = logging.getLogger(__name__)

Progress = Callable[[int, int | None], None]
"""Called with the bytes received so far and, if the server sends it, their total."""

_BLOCK = 1 << 16
_AGENT = "graphpool"


class _BrokenError(Exception):
    """A failure that another attempt may not have."""


def fetch(
    url: str,
    target: str | Path,
    *,
    sha256: str | None = None,
    check: Callable[[Path], None] | None = None,
    progress: Progress | None = None,
    timeout: float = 30.0,
    attempts: int = 3,
    pause: float = 1.0,
) -> Path:
    """Download `url` to `target` and return it.

    The bytes go to a temporary file beside `target`, which gets its name, in one step, only after
    length, checksum and `check` agree; nothing is left behind otherwise.

    Args:
        sha256: hex digest that the file must have.
        check: given the temporary path; raises `DataError` for an unusable file.
        progress: by default a bar, if standard error is a terminal.
        timeout: seconds without any answer before giving up an attempt.
        attempts: number of attempts; the wait between them is `pause` seconds, doubled each time.
    """
    target = Path(target)
    if not url.startswith(("http://", "https://")):
        raise DownloadError(f"{url}: only http and https addresses can be fetched")
    problem = ""
    for attempt in range(attempts):
        if attempt:
            log.warning("%s: %s; trying again", url, problem)
            time.sleep(pause * 2 ** (attempt - 1))
        try:
            with _shown(target.name, progress) as report:
                _attempt(url, target, sha256, check, report, timeout)
            return target
        except _BrokenError as error:
            problem = str(error)
        except WriteError as error:
            raise DownloadError(
                f"{target.parent}: can't be written to ({error.strerror}); set GRAPHPOOL_CACHE "
                "to a folder that can"
            ) from None
    raise _by_hand(url, target, problem)


def _attempt(
    url: str,
    target: Path,
    sha256: str | None,
    check: Callable[[Path], None] | None,
    report: Progress,
    timeout: float,
) -> None:
    """Fetch once; `_BrokenError` where another attempt may help."""
    request = urllib.request.Request(url, headers={"User-Agent": _AGENT})
    digest = hashlib.sha256()
    with _network(url, target):
        answer = urllib.request.urlopen(request, timeout=timeout)
    with answer, atomic_write(target) as handle:
        length = answer.headers.get("Content-Length") or ""
        total = int(length) if length.isdigit() else None
        done = 0
        while block := _read(answer, url, target):
            handle.write(block)
            digest.update(block)
            done += len(block)
            report(done, total)
        if total is not None and done != total:
            raise _BrokenError(f"the answer was cut off after {done} of {total} bytes")
        if sha256 is not None and digest.hexdigest() != sha256.lower():
            raise _BrokenError(
                f"the file is not the expected one: its SHA-256 is {digest.hexdigest()}, "
                f"not {sha256}"
            )
        if check is not None:
            handle.flush()
            try:
                check(Path(handle.name))
            except DataError as error:
                text = str(error).replace(handle.name, target.name)
                raise _BrokenError(f"the file is damaged: {text}") from None


def _read(answer: Any, url: str, target: Path) -> bytes:
    with _network(url, target):
        block: bytes = answer.read(_BLOCK)
        return block


@contextmanager
def _network(url: str, target: Path) -> Iterator[None]:
    """Turn failures of the network into errors of ours."""
    try:
        yield
    except urllib.error.HTTPError as error:
        code, reason = error.code, error.reason
        error.close()
        if 400 <= code < 500 and code not in (408, 429):
            # Asking again would not change the answer.
            raise _by_hand(url, target, f"the server answers {code} {reason}") from None
        raise _BrokenError(f"the server answers {code} {reason}") from None
    except urllib.error.URLError as error:
        raise _BrokenError(f"the server can't be reached: {error.reason}") from None
    except http.client.IncompleteRead as error:
        raise _BrokenError(f"the answer was cut off: {error}") from None
    except (OSError, http.client.HTTPException) as error:
        raise _BrokenError(f"the connection failed: {error or type(error).__name__}") from None


def _by_hand(url: str, target: Path, problem: str) -> DownloadError:
    return DownloadError(
        f"{target.name} could not be fetched: {problem}; get {url} by hand and put it into a "
        f"folder named by GRAPHPOOL_DATA or root= (--data-root), or at {target}"
    )


@contextmanager
def _shown(name: str, progress: Progress | None) -> Iterator[Progress]:
    """Yield the given callback, or a progress bar on a terminal, or nothing."""
    if progress is not None:
        yield progress
    elif not sys.stderr.isatty():
        yield lambda done, total: None
    else:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(),
                   TimeRemainingColumn())  # fmt: skip
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(name, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
