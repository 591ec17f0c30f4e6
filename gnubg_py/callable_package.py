"""Packages that are functions too.

The front door's ``gnubg_py.evaluate(...)`` has the name of a package. Python sets a package's name
in its parent when it is first imported, over whatever was there; so the package itself is made
to answer a call.
"""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from types import ModuleType
from typing import Any


def make_callable(package: str, home: str, function: str) -> None:
    """Let a call of the module ``package`` call ``function`` of the module ``home``."""

    class CallablePackage(ModuleType):
        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return getattr(import_module(home), function)(*args, **kwargs)

        @property
        def __signature__(self) -> inspect.Signature:
            return inspect.signature(getattr(import_module(home), function))

    sys.modules[package].__class__ = CallablePackage
