"""`salt.utils.http`: requests, made by the execution function `http.query`."""

from __future__ import annotations

from typing import Any

from ensue.salt_names.absent import not_there
from ensue.salt_names.running import execution_function


def query(url: str, **kwargs: Any) -> Any:
    """Make a request; see `http.query`, whose arguments these are."""
    for name in ("opts", "backend", "node"):
        kwargs.pop(name, None)
    return execution_function("http.query")(url, **kwargs)


__getattr__ = not_there(__name__)
