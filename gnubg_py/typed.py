"""Make frozen dataclasses from JSON objects; every value must have the declared type."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from types import NoneType
from typing import Any, TypeGuard, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")

_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def from_object(kind: type[T], value: object) -> T:
    """An instance of a dataclass from the JSON object that ``dataclasses.asdict`` led to.

    Fields that are missing keep their defaults; a list of any length is a ``tuple[T, ...]``.
    ``ValueError`` names the field that is wrong.

    >>> from gnubg_py.cube.state import Cube
    >>> from_object(Cube, {"value": 2, "owner": 0, "away": [3, 5]}).away
    (3, 5)
    >>> from_object(Cube, {"value": 2.0})
    Traceback (most recent call last):
    ValueError: value is 2.0: should be a whole number
    """
    if not isinstance(value, dict):
        raise ValueError(f"{shortened(value)}: should be an object")
    assert is_dataclass(kind)
    hints = get_type_hints(kind)
    for name in value:
        if name not in {field.name for field in fields(kind)}:
            raise ValueError(f"{shortened(name)} is not known here")
    try:
        return kind(**{name: _typed(hints[name], item, name) for name, item in value.items()})
    except TypeError as error:  # a field without a default is missing
        raise ValueError(str(error).replace(".__init__()", "")) from None


def _typed(hint: Any, value: object, name: str) -> Any:
    options = get_args(hint)
    if NoneType in options:
        return None if value is None else _typed(options[0], value, name)
    if get_origin(hint) is tuple:
        if options[-1] is Ellipsis and isinstance(value, list):
            options = options[:1] * len(value)
        if not (isinstance(value, list) and len(value) == len(options)):
            raise ValueError(f"{name} is {shortened(value)}: should be {len(options)} values")
        return tuple(map(_typed, options, value, [name] * len(options)))
    if is_dataclass(hint):
        return from_object(hint, value)  # type: ignore[arg-type]
    if hint is float and (type(value) is int or type(value) is float):
        if abs(value) <= 2**53 and math.isfinite(value):
            return float(value)
    elif type(value) is hint:
        return value
    raise ValueError(f"{name} is {shortened(value)}: should be {_WORDS.get(hint, hint.__name__)}")


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number, which True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def shortened(value: object) -> str:
    """A value as error messages show it: at most 40 characters and no control characters.

    >>> shortened("\\x1b" + 50 * "a")
    "'\\\\x1baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..."
    """
    text = ascii(value) if isinstance(value, str | int | float | None) else type(value).__name__
    return text if len(text) <= 40 else text[:37] + "..."
