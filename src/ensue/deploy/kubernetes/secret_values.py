"""Masks the values of Secrets, wherever the API server quotes them."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.masking import Masker


def learn_secrets(masker: Masker, manifests: Iterable[dict[str, Any]]) -> None:
    """Mask the values of Secrets, plain and in base64.

    Args:
        masker: receives them.
        manifests: the manifests.
    """
    for manifest in manifests:
        if manifest["kind"] != "Secret":
            continue
        for name in ("data", "stringData"):
            values: Any = manifest.get(name)
            for value in values.values() if is_mapping(values) else ():
                masker.add(str(value))
                if name == "data":
                    masker.add(_decoded(str(value)))


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
