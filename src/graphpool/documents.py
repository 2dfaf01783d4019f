"""Read JSON, JSON lines, TOML and safetensors files: the one place where these are parsed.

Size and depth are checked before parsing; duplicate keys, whole numbers of thousands of digits,
text that is not UTF-8 and half surrogates are refused. A shape (`graphpool.shapes`) says which keys
and types are expected. Every error names the file, the line of JSON lines, and the next step.
"""

import codecs
import gzip
import json
import re
import tomllib
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from graphpool.errors import ConfigError, DataError, GraphpoolError
from graphpool.limits import current_limits
from graphpool.shapes import fit

Error = type[GraphpoolError]

_LONG_LINE = 1 << 16
_MOST_BLANK = 100_000
_NOT_BRACKETS = bytes(set(range(256)) - set(b'[]{}"'))
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# What can separate the keys of a TOML file; a dot joins the parts of one.
_BETWEEN_KEYS = re.compile(r"[=,\[\]{}\n]")
_TOML_TEXT = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|\'[^\'\n]*+\'')


# ---------------------------------------------------------------------- JSON


def read_json(
    path: str | Path, shape: Any = Any, *, error: Error = DataError, hint: str = ""
) -> Any:
    """Read a JSON file.

    Args:
        shape: what it holds; see `graphpool.shapes`.
        error: what is raised if it can't be read.
        hint: what to do then.
    """
    data = _read_bytes(path, "document_bytes", error, hint)
    return parse_json(data, path, shape, error=error, hint=hint)


def read_header(
    metadata: dict[str, str],
    key: str,
    path: str | Path,
    shape: Any = Any,
    *,
    error: Error = DataError,
    hint: str = "",
) -> Any:
    """Parse the JSON that the metadata of a safetensors file hold under `key`."""
    text = metadata.get(key, "")
    _check_size(path, "header_bytes", len(text), error)
    return parse_json(text, f"{path}: header", shape, error=error, hint=hint)


def parse_json(
    data: str | bytes,
    where: str | Path,
    shape: Any = Any,
    *,
    line: int | None = None,
    error: Error = DataError,
    hint: str = "",
) -> Any:
    """Parse a JSON document of UTF-8 text; the arguments are those of `read_json`.

    Args:
        where, line: of the text, for messages.
    """

    def refused(problem: str, next_step: str = hint) -> GraphpoolError:
        return error.at(where, problem, line=line, hint=next_step)

    depth = current_limits().depth
    if _too_deep(data.encode("utf-8", "replace") if isinstance(data, str) else data, depth):
        raise refused(f"brackets are not closed, or over {depth} of them are inside each other")
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=_unique)
    except KeyError as twice:
        problem = f"the key {twice.args[0]!r} appears twice"
        raise refused(problem, hint or "keep one of them") from None
    except UnicodeDecodeError as reason:
        raise refused(_not_utf8(reason), hint or _UTF8) from None
    except (ValueError, RecursionError) as reason:
        raise refused(f"not JSON: {_reason(reason)}") from None
    if _SURROGATE.search(text) and not _is_text(value):
        raise refused("text with half of a surrogate pair, which no file can hold")
    if shape is Any:
        return value
    place = f"{where}, line {line}" if line is not None else str(where)
    try:
        return fit(shape, value, place, error)
    except error as reason:
        raise (error(f"{reason}; {hint}") if hint else reason) from None


def read_json_lines(
    path: str | Path,
    *,
    hint: str = "",
    damaged: Callable[[int, DataError, str], None] | None = None,
) -> Iterator[tuple[int, Any]]:
    """Yield number and value of each line of a file that is not blank.

    Args:
        hint: as in `read_json`.
        damaged: called with number, error and text of a line that can't be parsed, such as one
            that a killed process left; by default the error is raised.
    """
    for number, line in _raw_lines(path):
        try:
            value = parse_json(line, path, line=number, hint=hint)
        except DataError as error:
            if damaged is None:
                raise
            damaged(number, error, line.decode(errors="replace").rstrip())
            continue
        yield number, value


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line of a UTF-8 file that is not blank."""
    for number, line in _raw_lines(path):
        try:
            text = line.decode()
        except UnicodeDecodeError as reason:
            raise DataError.at(path, _not_utf8(reason), line=number, hint=_UTF8) from None
        yield number, text


def _raw_lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    limits = current_limits()
    try:
        with open_binary(path) as handle:
            number = blank = 0
            while line := handle.readline(limits.line_bytes + 1):
                number += 1
                if number % 1024 == 0 or len(line) > _LONG_LINE:
                    check_unpacked(path, handle)
                if len(line) > limits.line_bytes:
                    limits.check(path, "line_bytes", len(line), "bytes or more", line=number)
                if number == 1:
                    line = line.removeprefix(codecs.BOM_UTF8)
                if line.strip():
                    yield number, line
                elif (blank := blank + 1) > _MOST_BLANK:
                    problem = f"more than {_MOST_BLANK:,} blank lines"
                    raise DataError.at(path, problem, line=number, hint="remove them")
    except UNREADABLE as reason:
        raise unreadable(path, reason) from None


def _too_deep(text: bytes, most: int) -> bool:
    """Whether brackets are nested deeper than `most`; the parser would recurse as often.

    What is not a bracket is left out, and then pairs of brackets with nothing between, once for
    each level.
    """
    if text.count(b"[") + text.count(b"{") <= most:
        return False
    if b"\\" in text:
        text = re.sub(rb"\\.", b"", text, flags=re.DOTALL)
    text = re.sub(rb'"[^"]*"', b"", text.translate(None, _NOT_BRACKETS))
    for _ in range(most):
        shorter = text.replace(b"[]", b"").replace(b"{}", b"")
        if len(shorter) == len(text):  # what is left is not closed
            return text.count(b"[") + text.count(b"{") > most
        text = shorter
    return b"[" in text or b"{" in text


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that an object has twice (`KeyError`); json itself would keep the last."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise KeyError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return value


def _is_text(value: Any) -> bool:
    """Whether all text in a value can be written as UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


# ---------------------------------------------------------------------- TOML


def read_toml(path: str | Path, *, error: Error = ConfigError) -> dict[str, Any]:
    """Read a TOML file as plain values."""
    data = _read_bytes(path, "settings_bytes", error)
    try:
        return parse_toml(data.decode("utf-8-sig"), path, error=error)
    except UnicodeDecodeError as reason:
        raise error.at(path, _not_utf8(reason), hint=_UTF8) from None


def parse_toml(text: str, where: str | Path, *, error: Error = ConfigError) -> dict[str, Any]:
    """Parse a TOML document; the arguments are those of `parse_json`."""
    depth = current_limits().depth
    deep = error.at(where, f"more than {depth} lists or tables are inside each other")
    # A key of many parts takes a time that grows with the square of their number.
    parts = _BETWEEN_KEYS.split(_TOML_TEXT.sub("", text))
    if any(part.count(".") > depth for part in parts):
        raise deep
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise deep from None
    except ValueError as reason:
        raise error.at(where, f"not valid TOML: {_reason(reason)}") from None


# ---------------------------------------------------------------------- safetensors


def read_safetensors(
    path: str | Path,
    framework: str = "pt",
    *,
    error: Error = DataError,
    hint: str = "",
    what: str = "safetensors file",
) -> tuple[dict[str, str], dict[str, Any]]:
    """Read the metadata and the tensors of a safetensors file; tensors of torch are mapped.

    The library compares declared sizes with the length of the file before it maps anything.

    Args:
        framework: `pt` for torch, `np` for NumPy.
        error, hint: as in `read_json`.
        what: kind of the file, for messages.
    """
    from safetensors import SafetensorError, safe_open

    if not Path(path).is_file():
        raise error.at(path, "no such file", hint=hint or "check the path")
    try:
        with safe_open(path, framework=framework) as handle:
            metadata = dict(handle.metadata() or {})
            names = list(handle.keys())
            tensors = {name: handle.get_tensor(name) for name in names}
    except OSError as reason:
        raise unreadable(path, reason, error) from None
    except (SafetensorError, ValueError, TypeError, RuntimeError, AttributeError, KeyError,
            OverflowError, MemoryError) as reason:  # fmt: skip
        problem = f"damaged, or not a {what} ({_reason(reason)})"
        raise error.at(path, problem, hint=hint) from None
    return metadata, tensors


# ---------------------------------------------------------------------- text

_UTF8 = "save it as UTF-8"


UNREADABLE = (OSError, EOFError, zlib.error)
"""Errors that reading a file can cause, packed by gzip or not."""


@contextmanager
def open_binary(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file of bytes; one that gzip packed is unpacked while it is read."""
    with Path(path).open("rb") as handle:
        packed = handle.read(2) == b"\x1f\x8b"
        handle.seek(0)
        if not packed:
            yield handle
            return
        with gzip.GzipFile(fileobj=handle) as unpacked:
            yield unpacked


def check_unpacked(path: str | Path, handle: Any) -> None:
    """Refuse a file that gzip packed, if more comes out of it than the limits allow."""
    if isinstance(handle, gzip.GzipFile):
        current_limits().check_archive(path, Path(path).stat().st_size, handle.tell())


def read_binary(path: str | Path, limit: str, error: Error = DataError) -> bytes:
    """Read a whole file that is not larger than the limit of this name; gzip is unpacked."""
    left = getattr(current_limits(), limit) + 1
    pieces = []
    try:
        with open_binary(path) as handle:
            while left > 0 and (piece := handle.read(min(left, 1 << 24))):
                pieces.append(piece)
                left -= len(piece)
                check_unpacked(path, handle)
    except UNREADABLE as reason:
        raise unreadable(path, reason, error) from None
    data = b"".join(pieces)
    _check_size(path, limit, len(data), error)
    return data


def _read_bytes(path: str | Path, limit: str, error: Error, hint: str = "") -> bytes:
    """Read a whole file that is not larger than the limit of this name."""
    try:
        with Path(path).open("rb") as handle:
            data = handle.read(getattr(current_limits(), limit) + 1)
    except OSError as reason:
        if hint and isinstance(reason, FileNotFoundError):
            raise error.at(path, "no such file", hint=hint) from None
        raise unreadable(path, reason, error) from None
    _check_size(path, limit, len(data), error)
    return data


def _check_size(path: str | Path, limit: str, size: int, error: Error) -> None:
    try:
        current_limits().check(path, limit, size, "bytes or more")
    except DataError as reason:
        raise error(str(reason)) from None


@contextmanager
def expected_values(path: str | Path, hint: str) -> Iterator[None]:
    """Raise an error that names the file if code inside does not find the values that it needs.

    For documents without a shape: measurements whose keys are names of sets and methods.
    """
    try:
        yield
    except GraphpoolError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration) as reason:
        problem = f"a value is missing or of another type ({type(reason).__name__}: {reason})"
        raise DataError.at(path, problem, hint=hint) from reason


def unreadable(path: str | Path, reason: Exception, error: Error = DataError) -> GraphpoolError:
    """Return the error to raise about a file that can't be opened or read."""
    if isinstance(reason, FileNotFoundError):
        return error.at(path, "no such file", hint="check the path")
    hint = "check the path and its permissions"
    if isinstance(reason, (EOFError, zlib.error, gzip.BadGzipFile)):
        hint = "what gzip packed is damaged: fetch it again"
    problem = getattr(reason, "strerror", None) or reason
    return error.at(path, f"can't be read: {problem}", hint=hint)


def _not_utf8(reason: UnicodeDecodeError) -> str:
    return f"not UTF-8 text: byte {reason.start} is {reason.object[reason.start]:#04x}"


def _reason(error: Exception) -> str:
    """What a parser says, in our words where it speaks of its own settings."""
    text = str(error) or type(error).__name__
    return "a whole number with thousands of digits" if "integer string" in text else text
