"""Whether the inputs of a call have changed: keyed fingerprints for the journal, and their comparison.

What a call reads may be a secret, which must not be guessable from the journal, so fingerprints are made with
the project's key.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, cast

from ensue.core.contracts.content import sha256_of
from ensue.core.errors import EnsueError, StateFailedError, StoreError
from ensue.core.model.srn import Srn
from ensue.engine.adoption import ARGUMENTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.model.data import DataMap
    from ensue.language.targets.targets import Targets
    from ensue.store.runs.call_reads import CallReads, Name

_CONTEXT: Final = "what a call read"
_NO_MARK: Final = "-"
"""Replaces a fingerprint that could not be made, and equals no fingerprint."""


class ProjectCallInputs:
    """Implements the engine's `ProjectCallInputs`.

    Args:
        services: the project.
    """

    def __init__(self, services: Targets) -> None:
        self._services = services

    def mark(self, reads: Sequence[object], arguments: DataMap | None) -> tuple[tuple[str, ...], str]:
        """Return the names of everything that a call has read, and the fingerprint of the contents."""
        from ensue.store.runs.call_reads import data_digest

        digests: dict[str, bytes] = {}
        for read in reads:
            digests |= cast("CallReads", read).digests()
        if arguments is not None:
            digests[ARGUMENTS] = data_digest(arguments)
        if not digests:
            return (), ""
        try:
            return tuple(digests), self._services.stores.vault.fingerprint(_joined(digests), context=_CONTEXT)
        except StoreError:
            return tuple(digests), _NO_MARK

    async def are_same(self, names: Sequence[str], mark: str, arguments: DataMap | None) -> bool:
        """Return whether the named inputs have the same contents now."""
        if mark == _NO_MARK:
            return False
        try:
            digests = {text: await self._digest(text, arguments) for text in names}
            now = await asyncio.to_thread(
                self._services.stores.vault.fingerprint, _joined(digests), context=_CONTEXT, like=mark
            )
        except EnsueError:
            # A pillar that does not compile, a host that does not answer: the call itself will report that.
            return False
        return now == mark

    async def _digest(self, text: str, arguments: DataMap | None) -> bytes:
        from ensue.store.runs.call_reads import Name, data_digest, key_digest

        name = Name.parse(text)
        match name.kind:
            case "arguments":
                return data_digest(arguments)
            case "file":
                return await self._file(name)
            case "marks" | "tree" | "links" | "template":
                return await asyncio.to_thread(self._digest_here, name)
            case "pillar":
                srn = Srn.parse(name.where)
                await self._services.preparation.prepare(srn)
                return key_digest(self._services.pillar(srn), name.what)
            case _:
                return key_digest(await self._services.directory.grains(Srn.parse(name.where)), name.what)

    def _digest_here(self, name: Name) -> bytes:
        """Return the digest of an input on this machine; called in a thread."""
        from ensue.store.runs.call_reads import data_digest, file_digest, marks_digest, tree_digest

        if name.kind == "template":
            return file_digest(name.what)
        files = self._services.stores.files.of(name.where)
        if name.kind == "marks":
            return marks_digest(files.local_path(name.what))
        if name.kind == "links":
            return data_digest(files.list_links(name.what))
        return tree_digest(files.list_tree(name.what))

    async def _file(self, name: Name) -> bytes:
        from ensue.store.runs.call_reads import ABSENT

        try:
            content = await self._services.stores.files.of(name.where).open(name.what)
            return bytes.fromhex(sha256_of(content))
        except StateFailedError:
            return ABSENT


def _joined(digests: Mapping[str, bytes]) -> bytes:
    named = sorted((name.encode("utf-8", "surrogateescape"), digest) for name, digest in digests.items())
    # With the length before each digest, different lists never give the same bytes.
    return b"".join(b"%d:%s%d:%s" % (len(name), name, len(digest), digest) for name, digest in named)
