"""How long a server asks to wait before the next request."""

from __future__ import annotations

import email.utils
import re
import time


def seconds_to_wait(value: str) -> float | None:
    """The seconds that a header `Retry-After` names: a number, or a date as HTTP writes it; none
    where it is neither."""
    value = value.strip()
    if re.fullmatch(r"[0-9]+(\.[0-9]*)?", value):
        return float(value)
    try:
        until = email.utils.parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError):
        return None
    return max(0.0, until - time.time())
