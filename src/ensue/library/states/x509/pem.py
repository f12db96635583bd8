"""`x509.pem_managed`: writes PEM to a file.

Source: Salt's state module `x509_v2`, 3008.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.library.states.file.managed import managed
from ensue.library.states.x509.files import ABOUT_FILE

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.returns import StateReturn

_ENTRY: Final = re.compile(r"-----BEGIN (?P<kind>[A-Z0-9 ]+)-----(?P<body>[^-]+)-----END (?P=kind)-----")
_LINE_CHARS: Final = 64


@also_takes(*ABOUT_FILE)
async def pem_managed(ctx: StateContext, name: str, text: str, **kwargs: Any) -> StateReturn:
    """Write PEM to a file, and restore its line breaks if they are missing.

    Args:
        name: path of the file.
        text: the PEM; a private key is masked.
        **kwargs: arguments of `file.managed`.

    Example:
        /etc/ssl/ca.crt:
          x509.pem_managed:
            - text: {{ salt['pillar.get']('ca:certificate', '') | tojson }}

    Returns:
        The return of `file.managed`.

    Raises:
        StateFailedError: there is no PEM in the text.
    """
    entries = [*_ENTRY.finditer(text)]
    if not entries:
        raise StateFailedError("there is no PEM in text")
    written = [_written(entry["kind"], "".join(entry["body"].split())) for entry in entries]
    if any("PRIVATE" in entry["kind"] for entry in entries):
        ctx.masker.add(text, *written)
    return await managed(ctx, name, contents="".join(written), **kwargs)


def _written(kind: str, body: str) -> str:
    lines = [body[start : start + _LINE_CHARS] for start in range(0, len(body), _LINE_CHARS)]
    return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", ""])
