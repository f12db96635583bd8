"""What ensue asks of a package manager, and which one a target has."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final, Protocol, cast

import msgspec

from ensue.errors import NotAvailableError, NotOfferedError
from ensue.modules._programs import ask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.contracts.context import FunctionContext

_BY_FAMILY: Final = {"Debian": "apt", "RedHat": "dnf", "Alpine": "apk"}
_BY_PROGRAM: Final = {"apt-get": "apt", "dnf": "dnf", "apk": "apk"}


class InstallOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How packages are installed.

    Args:
        fromrepo: the release (apt), repositories (dnf) or address (apk) to take them from; None is any.
        skip_verify: take packages without a signature.
        install_recommends: take along what they recommend (apt); None is the target's own default.
        only_upgrade: upgrade those that are there, install none.
        reinstall: install again those that are there.
    """

    fromrepo: str | None = None
    skip_verify: bool = False
    install_recommends: bool | None = None
    only_upgrade: bool = False
    reinstall: bool = False


class PackageManager(Protocol):
    """A package manager: a module with these functions."""

    async def installed(self, ctx: FunctionContext, *, removed: bool = False) -> dict[str, list[str]]:
        """Return versions by name; with `removed` those that only left configuration behind."""
        ...

    async def available(
        self, ctx: FunctionContext, names: Sequence[str], *, fromrepo: str | None = None
    ) -> dict[str, list[str]]:
        """Return the versions that can be installed, the one that it would take first."""
        ...

    async def compare(self, ctx: FunctionContext, left: str, right: str) -> int:
        """Return -1, 0 or 1 as a version is older, the same or newer than another."""
        ...

    async def refreshed_at_s(self, ctx: FunctionContext) -> float | None:
        """Return when the lists were last fetched, in seconds since the epoch; None: it sees to that."""
        ...

    async def refresh(self, ctx: FunctionContext) -> None:
        """Fetch the lists of packages."""
        ...

    async def install(
        self, ctx: FunctionContext, wanted: Mapping[str, str | None], options: InstallOptions
    ) -> None:
        """Install or upgrade packages, in a given version where there is one."""
        ...

    async def remove(self, ctx: FunctionContext, names: Sequence[str], *, purge: bool) -> None:
        """Remove packages, with their configuration when `purge`."""
        ...

    async def install_files(
        self, ctx: FunctionContext, paths: Sequence[str], options: InstallOptions
    ) -> None:
        """Install packages that lie in files of the target."""
        ...

    async def provided(self, ctx: FunctionContext, names: Sequence[str]) -> set[str]:
        """Return the names that installed packages provide without being called so."""
        ...

    async def held(self, ctx: FunctionContext) -> list[str]:
        """Return the names of packages that stay as they are, sorted."""
        ...

    async def hold(self, ctx: FunctionContext, name: str, *, is_held: bool) -> None:
        """Let a package stay as it is, or no more."""
        ...

    async def upgrades(self, ctx: FunctionContext, *, dist_upgrade: bool) -> dict[str, str]:
        """Return the new version of each package that an upgrade would bring."""
        ...

    async def upgrade(self, ctx: FunctionContext, *, dist_upgrade: bool) -> None:
        """Upgrade all packages; with `dist_upgrade` others may come and go for that."""
        ...


async def package_manager(ctx: FunctionContext) -> PackageManager:
    """Return the target's package manager.

    Raises:
        NotAvailableError: it has none that ensue knows, or runs no commands.
    """
    name = await manager_name(ctx)
    return cast("PackageManager", importlib.import_module(f"ensue.modules.pkg.{name}"))


async def manager_name(ctx: FunctionContext) -> str:
    """Return the name of the target's package manager: `apt`, `dnf` or `apk`.

    Raises:
        NotAvailableError: it has none that ensue knows, or runs no commands.
    """
    if not ctx.connection.can_run:
        raise NotOfferedError("run", target_type=ctx.srn.type)
    family = str((await ctx.grains()).get("os_family") or "")
    name = _BY_FAMILY.get(family) or await _probed(ctx)
    if name is None:
        known = ", ".join(_BY_PROGRAM)
        raise NotAvailableError(
            f"pkg is not available for {ctx.srn} (os_family {family or 'unknown'}): ensue knows {known}, "
            "and none of them is there"
        )
    return name


async def _probed(ctx: FunctionContext) -> str | None:
    line = 'for each; do command -v "$each" >/dev/null && echo "$each" && exit; done; exit 1'
    answer = await ask(ctx, "sh", "-c", line, "sh", *_BY_PROGRAM)
    return _BY_PROGRAM.get(answer.stdout.strip())
