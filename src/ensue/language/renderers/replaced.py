"""Renderers that ensue lacks, with the replacement of each: mostly those that Salt has removed, too."""

from __future__ import annotations

from typing import Final

_TEMPLATE: Final = "write the template for `jinja` or `mako`"
_DATA: Final = "write the data as `yaml` or `json`"
_ENCRYPTED: Final = "encrypt the values for `gpg`, or keep them in a store that `sdb.get` reads"

REPLACED: Final = {
    "pydsl": "`pyobjects` declares states in Python, and `py` returns them as data",
    "j2": "did you mean jinja?",
    "cheetah": _TEMPLATE,
    "genshi": _TEMPLATE,
    "wempy": _TEMPLATE,
    "dson": _DATA,
    "hjson": _DATA,
    "json5": _DATA,
    "msgpack": _DATA,
    "toml": _DATA,
    "aws_kms": _ENCRYPTED,
    "nacl": _ENCRYPTED,
    "pass": _ENCRYPTED,
}
"""What to do instead, by the renderer's name."""
