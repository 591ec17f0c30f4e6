"""Claims: threads that share the items of a batch each take the next one that nobody has taken.

So all threads end together, however long the items take and whenever a thread begins.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray


def new_claims(items: slice) -> NDArray[np.int64]:
    """The next of the items that nobody has claimed, and their end, int64[2].

    Threads that share the items share these claims.
    """
    return np.array([items.start, items.stop], np.int64)


@intrinsic
def claimed(typing_context: Any, claims: Any) -> Any:
    """Claim the next item, inside a kernel, and no other thread gets it.

    Returns its number, at least ``claims[1]`` if there are no more.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = cgutils.create_struct_proxy(claims)(context, builder, args[0])
        return builder.atomic_rmw("add", array.data, ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(claims), generate
