"""`pkg.info_installed`: details of installed packages.

Source: Salt's execution module `pkg` (aptpkg, yumpkg), 3008: the names of the fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask
from ensue.library.modules.pkg.queries import list_pkgs

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_DPKG: Final = {
    "package": "${Package}", "version": "${Version}", "arch": "${Architecture}",
    "architecture": "${Architecture}", "group": "${Section}", "section": "${Section}",
    "maintainer": "${Maintainer}", "packager": "${Maintainer}",
    "homepage": "${Homepage}", "url": "${Homepage}", "source": "${source:Package}",
    "installed_size": "${Installed-Size}", "size": "${Installed-Size}", "status": "${db:Status-Status}",
    "summary": "${binary:Summary}", "description": "${Description}",
}  # fmt: skip
_RPM: Final = {
    "package": "%{NAME}", "version": "%{VERSION}", "release": "%{RELEASE}", "epoch": "%{EPOCHNUM}",
    "arch": "%{ARCH}", "architecture": "%{ARCH}", "group": "%{GROUP}", "vendor": "%{VENDOR}",
    "packager": "%{PACKAGER}", "license": "%{LICENSE}", "url": "%{URL}", "size": "%{SIZE}",
    "source": "%{SOURCERPM}", "build_host": "%{BUILDHOST}", "summary": "%{SUMMARY}",
    "description": "%{DESCRIPTION}",
}  # fmt: skip
_END_OF_FIELD: Final = "\x1f"
_END_OF_PACKAGE: Final = "\x1e"


async def info_installed(
    ctx: FunctionContext,
    *names: str,
    attr: str | list[str] | None = None,
    failhard: bool = True,
    **kwargs: Any,
) -> DataMap:
    """Return details of installed packages, by name.

    Args:
        *names: the packages; none for all installed packages.
        attr: the fields to return, as a list or separated by commas; None for all.
        failhard: fail if a package is not installed; otherwise it is left out.

    Raises:
        StateFailedError: a package is not installed.
        NotAvailableError: the target has no package manager that ensue knows.
    """
    there = await list_pkgs(ctx)
    missing = [name for name in names if name not in there]
    if missing and failhard:
        raise StateFailedError(f"not installed on {ctx.srn}: {', '.join(missing)}")
    facts = await _asked(ctx, [name for name in names or there if name in there])
    keys = {word.strip() for word in (attr.split(",") if isinstance(attr, str) else attr or ())}
    return {
        name: {key: value for key, value in fields.items() if not keys or key in keys}
        for name, fields in facts.items()
    }


async def _asked(ctx: FunctionContext, names: list[str]) -> dict[str, dict[str, str]]:
    if not names:
        return {}
    answer = await ask(ctx, "dpkg-query", "-W", "-f", _format(_DPKG), "--", *names)
    fields = list(_DPKG)
    if answer.is_missing:
        answer = await ask(ctx, "rpm", "-q", "--queryformat", _format(_RPM), "--", *names)
        fields = list(_RPM)
    if answer.is_missing:
        versions = await list_pkgs(ctx)
        return {name: {"version": str(versions[name])} for name in names}
    facts: dict[str, dict[str, str]] = {}
    for record in answer.stdout.split(_END_OF_PACKAGE)[:-1]:
        values = dict(zip(fields, record.split(_END_OF_FIELD), strict=False))
        facts[values.pop("package").strip()] = {key: value.strip() for key, value in values.items()}
    return facts


def _format(fields: dict[str, str]) -> str:
    return _END_OF_FIELD.join(fields.values()) + _END_OF_PACKAGE
