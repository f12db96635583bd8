"""Names that Kubernetes and compose accept, made from any name.

The same name always gives the same result, and two names never give the same.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

LONGEST_LABEL_CHARS: Final = 63
LONGEST_BASE_CHARS: Final = 52
"""The longest name of a workload's objects: it leaves room for suffixes (`-files`)."""

_LABEL: Final = re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?")
_KEY: Final = re.compile(r"[-_A-Za-z0-9][-._A-Za-z0-9]*")
_DIGEST_CHARS: Final = 8
_LONGEST_KEY_CHARS: Final = 120


def label(name: str, longest: int = LONGEST_LABEL_CHARS) -> str:
    """Return a DNS label that begins with a letter (RFC 1035).

    A name that is a label already stays; any other keeps its valid characters and gets its digest as suffix.

    Args:
        name: any text.
        longest: the most characters of the result.
    """
    if len(name) <= longest and _LABEL.fullmatch(name):
        return name
    kept = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    kept = kept if kept[:1].isalpha() else f"w-{kept}".rstrip("-")
    return f"{kept[: longest - _DIGEST_CHARS - 1].rstrip('-')}-{_digest(name)}"


def key(*parts: str) -> str:
    """Return a key of a ConfigMap or Secret for a path of names, such as `main.DB_PASSWORD`."""
    plain = ".".join(parts)
    # A dot within a part would give two paths the same key.
    is_exact = _KEY.fullmatch(plain) and not any("." in part for part in parts)
    if is_exact and len(plain) <= _LONGEST_KEY_CHARS:
        return plain
    kept = re.sub(r"[^-_A-Za-z0-9.]+", "_", plain).strip("._")
    return f"{kept[: _LONGEST_KEY_CHARS - _DIGEST_CHARS - 1]}.{_digest(chr(0).join(parts))}".lstrip(".")


def file_name(name: str) -> str:
    """Return a safe file name; dots and dashes stay."""
    kept = re.sub(r"[^-_.A-Za-z0-9]+", "-", name).strip("-.")[:100]
    return kept if kept and kept == name else f"{kept or 'document'}-{_digest(name)}"


def digest(content: bytes) -> str:
    """Return a short digest of some content."""
    return hashlib.sha256(content).hexdigest()[:16]


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]
