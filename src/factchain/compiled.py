"""Compile loops over arrays with numba; the machine code is kept on disk where that can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """The function as machine code that runs without the GIL, compiled at its first call.

    Numba keeps the code beside the module, or in the user's cache folder; where neither can be
    written it compiles anew in every process.
    """
    try:
        return cast(Loop, numba.njit(loop, nogil=True, cache=True))
    except RuntimeError:  # numba's word for: no folder for the cache
        return cast(Loop, numba.njit(loop, nogil=True))
