"""numba's cache of compiled kernels, made optional: where none can be kept, the answer comes.

numba stops the program where its cache has no folder, no room, or a damaged file. It has no
setting for that, so this module wraps the three methods of numba that use the cache.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from gnubg_py.messages import problem_text, say

_done = False
_said = False


def make_optional() -> None:
    """From now on compile for this process alone where kernels cannot be cached, and say so once.

    Call it before any kernel is imported.
    """
    global _done
    if _done:
        return
    _done = True
    from numba.core.caching import Cache
    from numba.core.dispatcher import Dispatcher

    for owner, name in (
        (Dispatcher, "enable_caching"),
        (Cache, "load_overload"),
        (Cache, "save_overload"),
    ):
        setattr(owner, name, _forgiving(getattr(owner, name)))


def _forgiving(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def tried(*words: Any, **options: Any) -> Any:
        try:
            return method(*words, **options)
        except Exception as problem:  # whatever a cache meets, it is not worth an answer
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


def has_no_folder() -> bool:
    """Whether neither the package's folder nor the user's cache can be written: a quick guess."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~"))
    own = os.environ.get("NUMBA_CACHE_DIR")
    folders = [Path(own)] if own else [Path(__file__).parent, home]
    return not any(os.access(folder, os.W_OK) for folder in folders)
