"""State module `pip`: packages of Python, on the target or in one of its virtual environments.

Args:
    bin_env: a virtual environment, or the path of pip; by default the pip of the target.
    user: user who runs pip on the target.
    cwd: folder to run pip in.

Source: Salt's state module `pip`, 3008: results, changes and comments; PEP 440 and PEP 503.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_mapping
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_REQUIREMENT: Final = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(?P<conditions>(?:[<>=!~].*)?)\Z"
)
_CONDITION: Final = re.compile(r"(?P<operator>===|==|~=|!=|<=|>=|<|>)\s*(?P<version>[^\s,;]+)\Z")
_ALREADY: Final = (
    "Requirement already", "Requirement not upgraded", "Collecting", "Cloning", "Cleaning up...",
    "Looking in ",
)  # fmt: skip

_INSTALL: Final = (
    "activate", "allow_all_external", "allow_external", "allow_unverified", "build", "cache_dir", "cert",
    "disable_version_check", "download", "download_cache", "exists_action", "extra_args", "extra_index_url",
    "find_links", "global_options", "index_url", "install_options", "log", "mirrors", "no_binary",
    "no_cache_dir", "no_chown", "no_deps", "no_download", "no_index", "no_install", "no_use_wheel",
    "only_binary", "pre_releases", "process_dependency_links", "proxy", "repo", "saltenv", "source",
    "target", "timeout", "trusted_host", "use_vt", "use_wheel",
)  # fmt: skip
"""The arguments of Salt's `pip.install`."""


class _RequestedPackage(msgspec.Struct, kw_only=True, frozen=True):
    """A requested package: its text in the SLS, name (empty for a URL or path), and version conditions."""

    written: str
    name: str = ""
    conditions: str = ""


@also_takes(*_INSTALL)
async def installed(
    ctx: StateContext,
    name: str,
    pkgs: list[str] | None = None,
    requirements: str | None = None,
    bin_env: str | None = None,
    *,
    pip_bin: str | None = None,
    user: str | None = None,
    cwd: str | None = None,
    env_vars: dict[str, str] | None = None,
    upgrade: bool = False,
    force_reinstall: bool = False,
    ignore_installed: bool = False,
    editable: str | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Install packages of Python.

    Args:
        name: the package (`django >= 4`), or any name if `pkgs` or `requirements` is given.
        pkgs: several packages.
        requirements: a requirements file of the target.
        pip_bin: the same as `bin_env`.
        env_vars: environment variables for pip.
        upgrade: upgrade to the newest version.
        force_reinstall: install packages again that are installed already.
        ignore_installed: ignore installed packages.
        editable: a folder or URL to install in editable mode.
        **kwargs: other options of `pip install`, by Salt's names (`index_url`, `no_deps`, `find_links`, …).

    Example:
        requests:
          pip.installed:
            - name: requests >= 2.32
            - bin_env: /srv/shop/venv

    Returns:
        `changes` has `name==version`, with `Installed`; `requirements` or `editable` if these are given.

    Raises:
        StateFailedError: the target has no pip.
    """
    where: dict[str, Any] = {"bin_env": bin_env or pip_bin, "user": user, "cwd": cwd, "env_vars": env_vars}
    try:
        requested = [_read(_written(each)) for each in ([name] if pkgs is None else pkgs)]
        before: dict[str, str] = await ctx.call("pip.list", **where)
    except StateFailedError as error:
        # In a plan, an earlier state may be about to install pip, or to create the environment.
        result = None if ctx.test and not isinstance(error, _FaultyRequirementError) else False
        return StateReturn(name=name, result=result, comment=f"Error installing '{name}': {error}")
    options = {**kwargs, **where, "upgrade": upgrade, "force_reinstall": force_reinstall,
               "ignore_installed": ignore_installed}  # fmt: skip
    if requirements or editable:
        return await _from_file(ctx, name, requirements, editable, options, before=before)
    is_forced = upgrade or force_reinstall or ignore_installed
    missing = [each for each in requested if is_forced or not _is_there(each, before)]
    already = [
        f"Python package {each.written} was already installed" for each in requested if each not in missing
    ]
    if not missing:
        comment = "\n".join([*already, "All specified packages are already installed"])
        return StateReturn.unchanged(name, comment, _state(requested, before))
    if ctx.test:
        shown = "\n".join(each.written for each in requested)
        comment = f"Python package {shown} is set to be installed"
        if len(requested) > 1:
            comment = f"Python package(s) set to be installed:\n{shown}"
        return StateReturn.planned(name, comment)
    done: DataMap = await ctx.call("pip.install", [each.written for each in missing], **options)
    after: dict[str, str] = await ctx.call("pip.list", **where)
    changes = _changes(missing, before, after, is_again=force_reinstall or ignore_installed)
    if done["retcode"]:
        comment = f"Failed to install packages: {', '.join(each.written for each in missing)}. {_error(done)}"
        return StateReturn.failed(name, "\n".join([*already, comment]), changes)
    last = "All packages were successfully installed"
    if not changes:
        last = "All specified packages are already installed and up-to-date"
    return StateReturn.changed(name, "\n".join([*already, last]), changes, _state(requested, after))


@also_takes("log", "proxy", "timeout", "use_vt", "saltenv")
async def removed(
    ctx: StateContext,
    name: str,
    requirements: str | None = None,
    bin_env: str | None = None,
    *,
    user: str | None = None,
    cwd: str | None = None,
    **kwargs: Any,  # Salt accepts `log`, `proxy`, `timeout`
) -> StateReturn:
    """Remove a package of Python.

    Args:
        name: the package.
        requirements: a requirements file with further packages to remove.
        **kwargs: accepted, as in Salt, without effect.

    Example:
        requests:
          pip.removed:
            - bin_env: /srv/shop/venv

    Returns:
        `changes` has the package with `Removed`.

    Raises:
        StateFailedError: pip failed.
    """
    where: dict[str, Any] = {"bin_env": bin_env, "user": user, "cwd": cwd}
    gone: DataMap = {"packages": {name: ""}, "exists": False}
    try:
        there: dict[str, str] = await ctx.call("pip.list", **where)
    except StateFailedError as error:
        result = None if ctx.test else False
        return StateReturn(name=name, result=result, comment=f"Error uninstalling '{name}': {error}")
    if await ctx.call("pip.normalize", name) not in there:
        return StateReturn.unchanged(name, "Package is not installed.", gone)
    if ctx.test:
        return StateReturn.planned(name, f"Package {name} is set to be removed")
    done: DataMap = await ctx.call("pip.uninstall", [name], requirements, **where)
    if done["retcode"]:
        return StateReturn.failed(name, f"Could not remove package. {_error(done)}")
    return StateReturn.changed(name, "Package was successfully removed.", {name: "Removed"}, gone)


async def uptodate(
    ctx: StateContext,
    name: str,
    bin_env: str | None = None,
    user: str | None = None,
    cwd: str | None = None,
    use_vt: bool = False,
) -> StateReturn:
    """Upgrade all packages of Python.

    Args:
        name: any name.
        use_vt: accepted, as in Salt, without effect.

    Example:
        venv:
          pip.uptodate:
            - bin_env: /srv/shop/venv

    Returns:
        `changes` has `{package: {old, new}}`; `new_state` has `upgrades`.

    Raises:
        StateFailedError: pip failed.
    """
    where: dict[str, Any] = {"bin_env": bin_env, "user": user, "cwd": cwd}
    try:
        waiting: dict[str, str] = await ctx.call("pip.list_upgrades", **where)
    except StateFailedError as error:
        return StateReturn(name=name, result=None if ctx.test else False, comment=str(error))
    if not waiting:
        return StateReturn.unchanged(name, "System is already up-to-date.", {"upgrades": {}})
    if ctx.test:
        before: dict[str, str] = await ctx.call("pip.list", **where)
        changes: DataMap = {each: {"old": before.get(each, ""), "new": new} for each, new in waiting.items()}
        return StateReturn.planned(name, "System update will be performed", changes)
    done: dict[str, Any] = await ctx.call("pip.upgrade", **where)
    if not done["result"]:
        return StateReturn.failed(name, str(done["comment"]), done["changes"])
    left: dict[str, str] = await ctx.call("pip.list_upgrades", **where)
    return StateReturn.changed(name, "Upgrade successful.", done["changes"], {"upgrades": {**left}})


class _FaultyRequirementError(StateFailedError):
    """A package of the SLS is not a valid requirement."""


async def _from_file(
    ctx: StateContext,
    name: str,
    requirements: str | None,
    editable: str | None,
    options: Mapping[str, Any],
    *,
    before: Mapping[str, str],
) -> StateReturn:
    if ctx.test:
        texts = [f"Requirements file '{requirements}' will be processed."] if requirements else []
        if editable:
            texts.append(
                'Package will be installed in editable mode (i.e. setuptools "develop mode") from '
                f"{editable}."
            )
        return StateReturn.planned(name, " ".join(texts))
    where = {key: options[key] for key in ("bin_env", "user", "cwd", "env_vars")}
    done: DataMap = await ctx.call("pip.install", None, requirements, **{**options, "editable": editable})
    after: dict[str, str] = await ctx.call("pip.list", **where)
    what = f'process requirements file "{requirements}"' if requirements else f"install from {editable}"
    if done["retcode"]:
        return StateReturn.failed(name, f"Unable to {what}. {_error(done)}")
    changes: DataMap = {}
    comments: list[str] = []
    if requirements:
        is_changed = before != after or any(
            line.strip() and not line.strip().startswith(_ALREADY)
            for line in str(done["stdout"]).splitlines()
        )
        changes |= {"requirements": True} if is_changed else {}
        comments.append(f"Successfully processed requirements file {requirements}." if is_changed
                     else "Requirements were already installed.")  # fmt: skip
    if editable:
        changes |= {"editable": True} if before != after else {}
        comments.append(f"Package successfully installed from VCS checkout {editable}.")
    new_state: DataMap = {"packages": {**after}}
    return StateReturn.changed(name, " ".join(comments), changes, new_state)


def _written(given: object) -> str:
    """Return a package of a list as text; YAML reads `name: version` as a mapping."""
    if is_mapping(given):
        return "".join(f"{key}=={value}" if value else str(key) for key, value in given.items())
    return str(given)


def _read(written: str) -> _RequestedPackage:
    text = written.partition(";")[0].strip() if "://" not in written else written
    match = _REQUIREMENT.match(text)
    if match is None:
        if "/" not in text and "@" not in text and "=" in text:
            raise _FaultyRequirementError(
                f"Invalid version specification in package {written}. '=' is not supported, use '==' instead."
            )
        return _RequestedPackage(written=written)
    if any(not _CONDITION.match(each.strip()) for each in match["conditions"].split(",") if each.strip()):
        raise _FaultyRequirementError(
            f"Invalid version specification in package {written}. '=' is not supported, use '==' instead."
        )
    name = re.sub(r"[-_.]+", "-", match["name"]).lower()
    return _RequestedPackage(written=written, name=name, conditions=match["conditions"])


def _is_there(requested: _RequestedPackage, versions: Mapping[str, str]) -> bool:
    """Return whether a requested package is installed; one without a name is installed each time."""
    from packaging.specifiers import SpecifierSet

    now = versions.get(requested.name)
    return now is not None and SpecifierSet(requested.conditions).contains(now, prereleases=True)


def _changes(
    missing: Sequence[_RequestedPackage],
    before: Mapping[str, str],
    after: Mapping[str, str],
    *,
    is_again: bool,
) -> DataMap:
    installed_now: DataMap = {}
    for each in missing:
        if not each.name:
            installed_now[f"{each.written}==???"] = "Installed"
        elif each.name in after and (is_again or after[each.name] != before.get(each.name)):
            installed_now[f"{each.name}=={after[each.name]}"] = "Installed"
    return installed_now


def _state(requested: Sequence[_RequestedPackage], versions: Mapping[str, str]) -> DataMap:
    return {"packages": {each.name or each.written: versions.get(each.name, "") for each in requested}}


def _error(done: Mapping[str, Any]) -> str:
    return f"Error: {done['stdout']} {done['stderr']}".strip()


FUNCTIONS: Final = placed(by_name(installed, removed, uptodate), "bin_env")
ABSENT: Final = ("removed",)
