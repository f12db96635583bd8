"""The interface of a package manager, and the choice of the one that a target has."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final, Protocol, cast

import msgspec

from ensue.core.errors import NotAvailableError, NotOfferedError
from ensue.library.modules._programs import ask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import FunctionContext

_BY_FAMILY: Final = {"Debian": "apt", "RedHat": "dnf", "Alpine": "apk"}
_BY_PROGRAM: Final = {"apt-get": "apt", "dnf": "dnf", "apk": "apk"}


class InstallOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options for installing packages.

    Args:
        fromrepo: the release (apt), repositories (dnf) or URL (apk) to install from; None for any.
        skip_verify: accept unsigned packages.
        install_recommends: also install recommended packages (apt); None for the target's default.
        only_upgrade: upgrade installed packages only.
        reinstall: reinstall packages that are already installed.
        download_only: fetch packages into the manager's cache, and install nothing.
    """

    fromrepo: str | None = None
    skip_verify: bool = False
    install_recommends: bool | None = None
    only_upgrade: bool = False
    reinstall: bool = False
    download_only: bool = False


class PackageManager(Protocol):
    """A package manager: a module with these functions."""

    async def installed(self, ctx: FunctionContext, *, removed: bool = False) -> dict[str, list[str]]:
        """Return the installed versions by name; with `removed`, packages with only configuration left."""
        ...

    async def available(
        self, ctx: FunctionContext, names: Sequence[str], *, fromrepo: str | None = None
    ) -> dict[str, list[str]]:
        """Return the versions that can be installed; first the one that an install would choose."""
        ...

    async def compare(self, ctx: FunctionContext, left: str, right: str) -> int:
        """Compare two versions: -1 if the first is older, 0 if they are equal, 1 if it is newer."""
        ...

    async def refreshed_at_s(self, ctx: FunctionContext) -> float | None:
        """Return when the package lists were last fetched, in Unix time; None if that is automatic."""
        ...

    async def refresh(self, ctx: FunctionContext) -> None:
        """Fetch the package lists."""
        ...

    async def install(
        self, ctx: FunctionContext, requested: Mapping[str, str | None], options: InstallOptions
    ) -> None:
        """Install or upgrade packages, to the given version if there is one."""
        ...

    async def remove(self, ctx: FunctionContext, names: Sequence[str], *, purge: bool) -> None:
        """Remove packages, with `purge` also their configuration."""
        ...

    async def install_files(
        self, ctx: FunctionContext, paths: Sequence[str], options: InstallOptions
    ) -> None:
        """Install packages from files on the target."""
        ...

    async def provided(self, ctx: FunctionContext, names: Sequence[str]) -> set[str]:
        """Return the names that installed packages provide in addition to their own."""
        ...

    async def held(self, ctx: FunctionContext) -> list[str]:
        """Return the names of the held packages, sorted."""
        ...

    async def hold(self, ctx: FunctionContext, name: str, *, is_held: bool) -> None:
        """Hold a package, or release it."""
        ...

    async def download(
        self, ctx: FunctionContext, requested: Mapping[str, str | None], options: InstallOptions
    ) -> None:
        """Fetch packages and their dependencies into the manager's cache, and install nothing."""
        ...

    async def downloaded(self, ctx: FunctionContext) -> dict[str, list[str]]:
        """Return the versions of the packages in the manager's cache, by name."""
        ...

    async def upgrades(self, ctx: FunctionContext, *, dist_upgrade: bool) -> dict[str, str]:
        """Return the packages that an upgrade would change, with their new versions."""
        ...

    async def upgrade(self, ctx: FunctionContext, *, dist_upgrade: bool) -> None:
        """Upgrade all packages; with `dist_upgrade`, others may be installed or removed for that."""
        ...


async def package_manager(ctx: FunctionContext) -> PackageManager:
    """Return the target's package manager.

    Raises:
        NotAvailableError: the target has none that ensue supports, or cannot run commands.
    """
    name = await manager_name(ctx)
    return cast("PackageManager", importlib.import_module(f"ensue.library.modules.pkg.{name}"))


async def manager_name(ctx: FunctionContext) -> str:
    """Return the name of the target's package manager: `apt`, `dnf` or `apk`.

    Raises:
        NotAvailableError: the target has none that ensue supports, or cannot run commands.
    """
    if not ctx.connection.can_run:
        raise NotOfferedError("run", target_type=ctx.srn.type)
    family = str((await ctx.grains()).get("os_family") or "")
    name = _BY_FAMILY.get(family) or await _probed(ctx)
    if name is None:
        known = ", ".join(_BY_PROGRAM)
        raise NotAvailableError(
            f"pkg is not available for {ctx.srn} (os_family {family or 'unknown'}): ensue supports {known}, "
            "and none of them is installed"
        )
    return name


async def _probed(ctx: FunctionContext) -> str | None:
    line = 'for each; do command -v "$each" >/dev/null && echo "$each" && exit; done; exit 1'
    answer = await ask(ctx, "sh", "-c", line, "sh", *_BY_PROGRAM)
    return _BY_PROGRAM.get(answer.stdout.strip())
