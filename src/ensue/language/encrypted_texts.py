"""Refuses encrypted texts that nothing decrypts: they would reach a target as they are.

A PGP message needs the renderer `gpg` in the pipe of its file. A text of Ansible Vault cannot be decrypted by
any renderer. A renderer of the project may decrypt either, so a pipe with one is trusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError
from ensue.core.model.data import leaf_places
from ensue.language.ansible_words import INSTEAD_OF_VAULT
from ensue.language.renderer_names import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.language.renderers.stage import Stream

PGP_HEAD: Final = "-----BEGIN PGP MESSAGE-----"
PGP_END: Final = "-----END PGP MESSAGE-----"
VAULT_HEAD: Final = "$ANSIBLE_VAULT;"


def refuse_whole_vault(text: str, path: str) -> None:
    """Refuse a file that Ansible Vault has encrypted.

    Raises:
        CompileError: it has.
    """
    if text.startswith(VAULT_HEAD):
        raise CompileError([_of_vault("this file is", Span(path, 1))])


def refuse_undecrypted(stream: Stream, pipe: str) -> None:
    """Refuse encrypted texts in the data of a file.

    Args:
        stream: the rendered file.
        pipe: its renderers.

    Raises:
        CompileError: the file has encrypted texts, and no renderer that may have decrypted them.
    """
    if PGP_HEAD not in stream.source and VAULT_HEAD not in stream.source:
        return
    stages = {stage.split()[0] for stage in pipe.split("|") if stage.strip()}
    if not stages <= set(NAMES):
        return
    if faults := list(_faults(stream, pipe, decrypts="gpg" in stages)):
        raise CompileError(faults)


def _faults(stream: Stream, pipe: str, *, decrypts: bool) -> Iterator[Diagnostic]:
    document = stream.document()
    for place, value in leaf_places(stream.data):
        if not isinstance(value, str):
            continue
        if value.lstrip().startswith(VAULT_HEAD):
            yield _of_vault(f"{_shown(place)} is", document.locate(place))
        elif PGP_HEAD in value and not decrypts:
            yield Diagnostic(
                code="E0885",
                summary=f"{_shown(place)} is a PGP message that nothing decrypts",
                span=document.locate(place),
                detail=f"the renderers of this file are {pipe!r}, and `gpg` is not among them",
                help=f"begin the file with `#!{pipe}|gpg`; "
                "if the message itself is to reach the target, put it in a file, and name that as `source`",
            )


def _of_vault(what: str, span: Span) -> Diagnostic:
    return Diagnostic(
        code="E0886",
        summary=f"{what} encrypted by Ansible Vault",
        span=span,
        detail="ensue decrypts PGP messages",
        help=INSTEAD_OF_VAULT,
    )


def _shown(place: tuple[Any, ...]) -> str:
    return repr(":".join(map(str, place)))
