"""`salt.utils.http`: requests, through the execution function `http.query`."""

from __future__ import annotations

from typing import Any

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.running import execution_function


def query(url: str, **kwargs: Any) -> Any:
    """Send a request with the arguments of the execution function `http.query`."""
    for name in ("opts", "backend", "node"):
        kwargs.pop(name, None)
    return execution_function("http.query")(url, **kwargs)


__getattr__ = not_there(__name__)
