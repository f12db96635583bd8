"""Reads JSON, and refuses text that is nested too deep."""

from __future__ import annotations

import json
from typing import Any

from ensue.core.model.data_bounds import TooDeepError, check_levels


def load_json(text: str | bytes, **options: Any) -> Any:
    """Return the data of a JSON text.

    Args:
        text: the text.
        options: options of `json.loads`.

    Raises:
        json.JSONDecodeError: it is not JSON.
        DataBoundError: it is nested too deep.
        ValueError: it contains an integer that is too long.
    """
    try:
        data = json.loads(text, **options)
    except RecursionError:
        raise TooDeepError from None
    check_levels(data)
    return data
