"""`pkg.patch_installed`, `pkg.patch_downloaded`: advisories of the repositories of dnf.

Args:
    name: the advisory, or any name if `advisory_ids` is given.
    advisory_ids: several advisories.
    **kwargs: accepted, as in Salt, without effect.

Source: Salt's state module `pkg`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import NotAvailableError, StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.pkg.outcome import failure
from ensue.library.states.pkg.requested import KNOWN, OUTDATED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes(*KNOWN, outdated=OUTDATED)
async def patch_installed(
    ctx: StateContext,
    name: str,
    advisory_ids: list[str] | None = None,
    downloadonly: bool | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Install the updates of advisories.

    Args:
        downloadonly: only fetch the updates.

    Example:
        security:
          pkg.patch_installed:
            - advisory_ids: [RHSA-2026:1234]

    Returns:
        `changes` has `{package: {old, new}}`; `new_state` has `advisories`.

    Raises:
        StateFailedError: advisories cannot be listed.
    """
    return await _Patches(ctx, name, advisory_ids, is_download=bool(downloadonly)).state("patch_installed")


@also_takes(*KNOWN, outdated=OUTDATED)
async def patch_downloaded(
    ctx: StateContext, name: str, advisory_ids: list[str] | None = None, **kwargs: Any
) -> StateReturn:
    """Fetch the updates of advisories, and install nothing.

    Example:
        security:
          pkg.patch_downloaded:
            - advisory_ids: [RHSA-2026:1234]

    Returns:
        `changes` has `{package: {old, new}}`; `new_state` has `advisories`.

    Raises:
        StateFailedError: advisories cannot be listed.
    """
    return await _Patches(ctx, name, advisory_ids, is_download=True).state("patch_downloaded")


class _Patches:
    """The advisories of one state."""

    def __init__(
        self, ctx: StateContext, name: str, advisory_ids: Sequence[str] | None, *, is_download: bool
    ) -> None:
        self._ctx = ctx
        self._name = name
        self._given = advisory_ids
        self._ids = [name] if advisory_ids is None else [str(each) for each in advisory_ids]
        self._is_download = is_download

    async def state(self, function: str) -> StateReturn:
        """Fetch or install what is missing."""
        if not self._ids:
            return self._returned(True, "No advisory ids provided")
        try:
            there: DataMap = await self._ctx.call("pkg.list_installed_patches")
        except NotAvailableError:
            return self._returned(False, f"The pkg.{function} state is not available on this platform")
        missing = [each for each in self._ids if each not in there]
        if not missing and self._given is None:
            return self._returned(True, f"Advisory patch {self._name} is already installed")
        if not missing:
            return self._returned(True, "All specified advisory patches are already installed")
        if self._ctx.test:
            verb = "downloaded" if self._is_download else "installed"
            comment = f"The following advisory patches would be {verb}: {', '.join(missing)}"
            old_state: DataMap | None = {"name": self._name, "exists": False} if self._is_download else None
            return StateReturn.planned(self._name, comment, old_state=old_state)
        return await self._carried_out(missing)

    async def _carried_out(self, missing: Sequence[str]) -> StateReturn:
        try:
            changes: DataMap = await self._ctx.call(
                "pkg.install_patches", missing, downloadonly=self._is_download
            )
        except StateFailedError as error:
            what = "An error was encountered while downloading package(s)"
            return failure(self._name, what, error, {}, ())
        if changes:
            return self._returned(True, "", changes)
        done = "downloaded" if self._is_download else "installed"
        text = f"Advisory patch is not needed or related packages are already {done}"
        return self._returned(True, text)

    def _returned(self, result: bool, comment: str, changes: DataMap | None = None) -> StateReturn:
        return StateReturn(
            name=self._name,
            result=result,
            changes=changes or {},
            comment=comment,
            new_state={"advisories": [*self._ids]} if result else None,
        )
