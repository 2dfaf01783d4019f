"""The decorator for compiled functions: where their code is cached, and when it is outdated.

The code is cached beside the source, else in the user's cache folder, else in a private folder
among the temporary files. Where none can be written, every process compiles for itself.
"""

import hashlib
import inspect
import os
import stat
import tempfile
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba import njit

from graphpool.compile_notice import CURE, announce_compilation, warn_once


@cache
def digest(folder: Path, pattern: str) -> str:
    """Return a digest of the source files in a folder and its subfolders that match a pattern."""
    result = hashlib.sha256()
    for path in sorted(folder.rglob(pattern)):
        result.update(path.read_bytes())
    return result.hexdigest()


def compiler(
    folder: Path, pattern: str = "*.py", **options: Any
) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles a function, releases the GIL and caches the code on disk.

    numba reuses cached code as long as the function's own file is unchanged. That is not enough,
    because the code contains the functions that it calls and the constants that it uses, and
    these are in other files too. Here cached code is reused as long as none of the given source
    files changes.

    Args:
        folder: folder of the source files.
        pattern: pattern of their names. The file of a decorated function always counts.
        options: further options of `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        announce_compilation()
        dispatcher = njit(nogil=True, no_cfunc_wrapper=True, **options)(function)
        if options.get("no_cpython_wrapper"):
            _refuse_python(dispatcher)
        _enable_cache(dispatcher)
        cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
        if cache_file is not None:
            stamp = digest(folder, pattern)
            own = Path(inspect.getfile(function))
            if not (own.is_relative_to(folder) and own.match(pattern)):
                stamp += digest(own.parent, own.name)
            cache_file._source_stamp = stamp
            # numba compares the version before it reads the rest of an index, which may name
            # argument types that no longer exist and can't be read then.
            cache_file._version = f"{cache_file._version} {stamp}"
        return dispatcher

    return decorate


def _refuse_python(dispatcher: Any) -> None:
    """Make calls of a function from Python an error, if it is compiled without the code for them.

    numba would follow a null pointer.
    """

    def add(result: Any) -> None:
        dispatcher.overloads[tuple(result.signature.args)] = result

    def refuse(*_: Any, **__: Any) -> None:
        name = dispatcher.py_func.__name__
        raise TypeError(f"{name} can only be called by compiled functions")

    dispatcher.add_overload, dispatcher._compile_for_args = add, refuse


def _enable_cache(dispatcher: Any) -> None:
    """Cache the code of a function on disk, where a folder for it can be written."""
    if not numba.config.CACHE_DIR and not _has_home() and not _in_tree(dispatcher):
        # numba would make a folder named "~" in the current one.
        numba.config.CACHE_DIR = _private_folder() or ""
        if not numba.config.CACHE_DIR:
            return
    try:
        dispatcher.enable_caching()
    except RuntimeError:  # no folder can be written
        if not (folder := _private_folder()):
            return
        numba.config.CACHE_DIR = folder
        dispatcher.enable_caching()
    save = dispatcher._cache.save_overload

    def save_if_possible(signature: Any, data: Any) -> None:
        try:
            save(signature, data)
        except OSError as error:
            warn_once(f"compiled code can't be cached ({error.strerror}); {CURE}")

    dispatcher._cache.save_overload = save_if_possible


def _has_home() -> bool:
    if os.environ.get("XDG_CACHE_HOME"):
        return True
    try:
        return bool(Path.home())
    except RuntimeError:  # an account without a home
        return False


def _in_tree(dispatcher: Any) -> bool:
    """Whether code can be cached beside the source of a function."""
    folder = Path(inspect.getfile(dispatcher.py_func)).parent / "__pycache__"
    return os.access(folder if folder.exists() else folder.parent, os.W_OK)


@cache
def _private_folder() -> str | None:
    """Return a folder among the temporary files that nobody else can write, if there is one.

    Cached code is executed, so a folder that belongs to somebody else is not used.
    """
    user = getattr(os, "getuid", lambda: 0)()
    try:
        parent = Path(tempfile.gettempdir())
        if parent == Path.cwd():  # the last resort of `gettempdir`
            return None
        folder = parent / f"graphpool-compiled-{user}"
        folder.mkdir(mode=0o700, exist_ok=True)
        about = folder.lstat()
        private = stat.S_ISDIR(about.st_mode) and not about.st_mode & 0o022
        if not private or (hasattr(os, "getuid") and about.st_uid != user):
            return tempfile.mkdtemp(prefix="graphpool-compiled-")
        with tempfile.TemporaryFile(dir=folder):
            return str(folder)
    except OSError:
        return None


def cache_folder(dispatcher: Any) -> str | None:
    """Return the folder that holds the compiled code of a function; None if it is not cached."""
    path = getattr(dispatcher._cache, "cache_path", None)
    return None if path is None else str(path)


def is_ready(dispatcher: Any) -> bool:
    """Whether code of a function is loaded, or cached and up to date, so that it runs at once."""
    if getattr(dispatcher, "overloads", True):  # also True for a plain function
        return True
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    return cache_file is not None and bool(cache_file._load_index())


def interpreted(dispatcher: Any, known: dict[Any, Any] | None = None) -> Callable[..., Any]:
    """Return a function, and the compiled ones that it calls, as plain Python.

    It is slower by a factor of about a hundred, and needs no compilation.
    """
    known = {} if known is None else known
    if dispatcher not in known:
        function = getattr(dispatcher, "py_func", dispatcher)
        names = dict(function.__globals__)
        known[dispatcher] = types.FunctionType(
            function.__code__, names, function.__name__, function.__defaults__
        )
        for name in function.__code__.co_names:
            if hasattr(value := names.get(name), "py_func"):
                names[name] = interpreted(value, known)
    plain: Callable[..., Any] = known[dispatcher]
    return plain
