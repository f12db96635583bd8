"""Groups of packages, which only dnf has.

Source: Salt's execution module `pkg` (yumpkg), 3008: names and return values; the output of dnf 4 and dnf 5.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import NotAvailableError, StateFailedError
from ensue.library.modules._programs import ask
from ensue.library.modules.pkg.manager import manager_name
from ensue.library.modules.pkg.queries import list_pkgs

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

KINDS: Final = ("mandatory", "optional", "default", "conditional")
"""The parts of a group: `mandatory` and `default` packages are installed with it."""

_FIELD: Final = re.compile(r"\s*(?P<key>[A-Za-z][A-Za-z -]*?)\s*:(?:\s+(?P<value>.*))?\Z")
_SECTION: Final = re.compile(rf"(?P<kind>{'|'.join(KINDS)}) (?:packages|groups)\Z")
_NAMES: Final = ("environment group", "group", "name")
_IDS: Final = ("environment-id", "group-id", "id")


async def group_info(
    ctx: FunctionContext,
    name: str,
    expand: bool = False,
    fromrepo: str | None = None,
    enablerepo: str | None = None,
    disablerepo: str | None = None,
) -> DataMap:
    """Return what is in a group of packages.

    Args:
        name: the group, or an environment, by name or id.
        expand: replace the groups of an environment by their packages.
        fromrepo: look only in these repositories.
        enablerepo: look in these repositories, too.
        disablerepo: do not look in these repositories.

    Example:
        ensue call '*' pkg.group_info 'Development Tools'

    Returns:
        `type` (`package group` or `environment group`), `group`, `id`, `description`, and the names in the
        lists `mandatory`, `optional`, `default` and `conditional`.

    Raises:
        NotAvailableError: the target's package manager has no groups.
        StateFailedError: there is no such group.
    """
    await check_dnf(ctx, "group_info")
    options = _repositories(fromrepo, enablerepo, disablerepo)
    return await _Groups(ctx, options).info(name, expand=expand)


async def group_diff(ctx: FunctionContext, name: str, **kwargs: Any) -> DataMap:
    """Return which packages of a group are installed.

    Args:
        name: the group, or an environment, by name or id.
        **kwargs: `fromrepo`, `enablerepo`, `disablerepo`.

    Example:
        ensue call '*' pkg.group_diff 'Development Tools'

    Returns:
        For `mandatory`, `optional`, `default` and `conditional`: the lists `installed` and `not installed`.

    Raises:
        NotAvailableError: the target's package manager has no groups.
        StateFailedError: there is no such group.
    """
    info: dict[str, Any] = await group_info(ctx, name, expand=True, **kwargs)
    there = await list_pkgs(ctx)
    return {
        kind: {
            "installed": [each for each in info[kind] if each in there],
            "not installed": [each for each in info[kind] if each not in there],
        }
        for kind in KINDS
    }


async def check_dnf(ctx: FunctionContext, function: str) -> None:
    """Check that the target's package manager is dnf.

    Raises:
        NotAvailableError: it is another one.
    """
    name = await manager_name(ctx)
    if name != "dnf":
        raise NotAvailableError(f"pkg.{function} is not available for {ctx.srn}: {name} does not support it")


class _Groups:
    """The groups of one target, each read once."""

    def __init__(self, ctx: FunctionContext, options: list[str]) -> None:
        self._ctx = ctx
        self._options = options
        self._expanded: set[str] = set()

    async def info(self, name: str, *, expand: bool) -> DataMap:
        listed = await ask(self._ctx, "dnf", "-q", *self._options, "group", "info", name)
        fields, members = _read(listed.stdout)
        is_environment = "environment group" in fields
        title, identifier = _first(fields, _NAMES), _first(fields, _IDS)
        if not title and not identifier:
            raise StateFailedError(f"Group '{name}' not found")
        if expand and is_environment:
            members = await self._packages(members)
        return {
            "type": "environment group" if is_environment else "package group",
            "group": title,
            "id": identifier,
            "description": fields.get("description", ""),
            **{kind: [*sorted(members[kind])] for kind in KINDS},
        }

    async def _packages(self, groups: dict[str, set[str]]) -> dict[str, set[str]]:
        """Return the packages of an environment's groups; as in Salt, of its optional groups as well."""
        packages: dict[str, set[str]] = {kind: set() for kind in KINDS}
        for group in sorted({each for kind in KINDS for each in groups[kind]} - self._expanded):
            self._expanded.add(group)
            inner: dict[str, Any] = await self.info(group, expand=True)
            for kind in KINDS:
                packages[kind].update(inner[kind])
        return packages


def _read(listed: str) -> tuple[dict[str, str], dict[str, set[str]]]:
    """Read the fields of `dnf group info`, and the members by kind.

    dnf 4 lists the members below the title of their section, dnf 5 beside it, with a colon before each.
    """
    fields: dict[str, str] = {}
    members: dict[str, set[str]] = {kind: set() for kind in KINDS}
    kind = ""
    for line in listed.splitlines():
        field = _FIELD.match(line)
        if field is None:
            member = line.lstrip(" \t:=+-").strip()
            if kind and member:
                members[kind].add(member)
            continue
        key, value = field["key"].lower(), (field["value"] or "").strip()
        section = _SECTION.match(key)
        kind = section["kind"] if section else ""
        if not section:
            fields[key] = value
        elif value:
            members[kind].add(value)
    return fields, members


def _first(fields: dict[str, str], keys: tuple[str, ...]) -> str:
    return next((fields[key] for key in keys if fields.get(key)), "")


def _repositories(fromrepo: str | None, enablerepo: str | None, disablerepo: str | None) -> list[str]:
    if fromrepo:
        return ["--disablerepo=*", f"--enablerepo={fromrepo}"]
    disabled = [f"--disablerepo={disablerepo}"] if disablerepo else []
    return disabled + ([f"--enablerepo={enablerepo}"] if enablerepo else [])
