"""``njit`` for all kernels. This module repairs three faults of numba's cache of compiled kernels.

- numba stops the program where its cache has no folder or no room. Here the kernels are then
  compiled for this run alone; a damaged file is written anew.
- numba looks only at the source file of a kernel. When a function that the kernel calls, or a
  constant that it uses, changes in another file, the cache would still return the old machine
  code. Here the digest of all of them is a part of the key in the cache.
- numba prepares itself to compile before it loads a kernel that is compiled already. That takes a
  fifth of the time of a program that answers one question. Here numba does so when it compiles.

numba has no settings for this, so this module wraps methods of numba when it is imported. Every
kernel imports ``njit`` from here, and so is defined after the methods are wrapped.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from numba import njit
from numba.core.caching import Cache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys

from gnubg_py.messages import problem_text, say

__all__ = ["njit"]

_PACKAGE = __name__.partition(".")[0]
_IMPORTED = re.compile(rb"^from (" + _PACKAGE.encode() + rb"[.\w]*) import", re.MULTILINE)
_said = False


def _forgiving(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def tried(*words: Any, **options: Any) -> Any:
        try:
            return method(*words, **options)
        except Exception as problem:  # no fault of the cache may stop the answer
            _say_once(problem)
            return None

    return tried


def _say_once(problem: Exception) -> None:
    global _said
    if not _said:
        _said = True
        why = "no folder can be written" if isinstance(problem, RuntimeError) else None
        say(
            f"compiled kernels cannot be cached ({why or problem_text(problem)}): compiled for "
            "this run alone; NUMBA_CACHE_DIR can name another folder"
        )


def _with_digest(index_key: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(index_key)
    def key(cache: Any, *words: Any) -> Any:
        return (*index_key(cache, *words), kernel_digest(cache._py_func))

    return key


def _new_if_spoilt(load_index: Callable[..., Any]) -> Callable[..., Any]:
    """An index that cannot be read is begun anew: it may name a class that has another name now."""

    @wraps(load_index)
    def load(file: Any) -> Any:
        try:
            return load_index(file)
        except OSError:
            raise
        except Exception:
            return {}

    return load


def _load_compiled(cache: Any, signature: Any, target: Any) -> Any:
    """Return a kernel from the cache, or None, without numba's preparations to compile."""
    rtsys.initialize(target)  # the functions with which kernels allocate arrays
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, target)


def kernel_digest(kernel: FunctionType) -> str:
    """A digest of everything that a kernel's machine code is made from, as hexadecimal digits.

    That is the source of the kernel and of the functions that it calls, and the values of the
    globals that they use, which numba treats as constants.
    """
    sources: set[str] = set()
    constants: list[bytes] = []
    _collect(kernel, sources, constants, set())
    digest = hashlib.sha256()
    for module in sorted(sources):
        digest.update(_source(module))
    for constant in sorted(constants):
        digest.update(constant)
    return digest.hexdigest()


def _collect(
    function: FunctionType, sources: set[str], constants: list[bytes], seen: set[int]
) -> None:
    """Add the modules and the constants that a function and its callees are made from."""
    if id(function) in seen:
        return
    seen.add(id(function))
    sources.add(function.__module__)
    names = [name for name in function.__code__.co_names if name in function.__globals__]
    values = [(name, function.__globals__[name]) for name in names]
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for name, value in values + [(name, cell.cell_contents) for name, cell in cells]:
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Dispatcher):
                _collect(part.py_func, sources, constants, seen)
            elif isinstance(part, np.ndarray):
                constants.append(name.encode() + part.tobytes())
            elif isinstance(part, bool | int | float | str | np.generic):
                constants.append(f"{name} {part!r}".encode())
            elif callable(part) and str(getattr(part, "__module__", "")).startswith(_PACKAGE):
                # Any function of its module may generate the code of an intrinsic or an overload.
                sources |= _with_imports(part.__module__)


@cache
def _with_imports(module: str) -> frozenset[str]:
    """A module of the package, and the modules that it imports directly or indirectly."""
    found, left = set[str](), [module]
    while left:
        name = left.pop()
        if name not in found and name in sys.modules:
            found.add(name)
            left += [word.decode() for word in _IMPORTED.findall(_source(name))]
    return frozenset(found)


@cache
def _source(module: str) -> bytes:
    """The source of an imported module, empty where it has no file."""
    path = getattr(sys.modules[module], "__file__", None)
    return Path(path).read_bytes() if path else b""


for _owner, _name, _wrap in (
    (Dispatcher, "enable_caching", _forgiving),
    (Cache, "save_overload", _forgiving),
    (Cache, "_index_key", _with_digest),
    (IndexDataCacheFile, "_load_index", _new_if_spoilt),
):
    setattr(_owner, _name, _wrap(getattr(_owner, _name)))
Cache.load_overload = _forgiving(_load_compiled)
