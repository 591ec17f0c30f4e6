"""What all items of some work share, packed for workers: large arrays apart, by checksum.

The weights of nets and other large arrays are sent to each worker once, whatever work they are
shared by. The rest is small.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from gnubg_py.cluster.databases import database_of

_LARGE = 1 << 14
"""Bytes of an array that is sent apart."""


@dataclass(frozen=True, eq=False)
class Packed:
    """A packed object: its bytes without the large arrays, and these by their checksums.

    ``databases``: the names of those that it reads and that not every worker may have.
    """

    data: bytes
    arrays: Mapping[str, NDArray[Any]]
    databases: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A checksum of the bytes, which name the arrays."""
        return hashlib.sha256(self.data).hexdigest()[:32]


class _Packer(cloudpickle.Pickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.arrays: dict[str, NDArray[Any]] = {}
        self.databases: set[str] = set()

    def persistent_id(self, item: object) -> str | None:
        if (name := database_of(item)) is not None:
            self.databases.add(name)
        if type(item) is not np.ndarray or item.nbytes < _LARGE or item.dtype.hasobject:
            return None
        key = _array_key(item)
        self.arrays[key] = item
        return key


def _array_key(array: NDArray[Any]) -> str:
    data = np.ascontiguousarray(array)
    digest = hashlib.sha256(f"{data.dtype.str} {data.shape}".encode())
    digest.update(data.data.cast("B"))
    return digest.hexdigest()[:32]


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, arrays: Mapping[str, NDArray[Any]]) -> None:
        super().__init__(file)
        self.arrays = arrays

    def persistent_load(self, key: str) -> NDArray[Any]:
        return self.arrays[key]


def pack(item: object) -> Packed:
    """Pack an object; functions of a user's script go with it."""
    file = io.BytesIO()
    packer = _Packer(file)
    packer.dump(item)
    return Packed(file.getvalue(), packer.arrays, tuple(sorted(packer.databases)))


def unpack(data: bytes, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """The object of a ``Packed``; ``KeyError`` names an array that is missing."""
    return _Unpacker(io.BytesIO(data), arrays).load()
