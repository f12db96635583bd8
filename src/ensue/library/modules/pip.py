"""Execution module `pip`: Python packages, of the target or of one of its virtual environments.

Args:
    bin_env: the path of a virtual environment or of a pip.

Source: Salt's execution module `pip`, 3008: names and return values.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.connection import Command
from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.package_versions import difference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.connection import Completed
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_NOT_FOUND: Final = 127
_VERSION: Final = re.compile(r"pip (?P<version>\S+)")
_FLAGS: Final = {
    "upgrade": "--upgrade", "force_reinstall": "--force-reinstall", "ignore_installed": "--ignore-installed",
    "no_deps": "--no-deps", "no_index": "--no-index", "pre_releases": "--pre",
    "no_cache_dir": "--no-cache-dir",
}  # fmt: skip
_VALUES: Final = {
    "index_url": "--index-url", "proxy": "--proxy", "timeout": "--timeout", "target": "--target",
    "cert": "--cert", "cache_dir": "--cache-dir", "exists_action": "--exists-action", "log": "--log",
}  # fmt: skip
_LISTS: Final = {
    "extra_index_url": "--extra-index-url", "find_links": "--find-links", "trusted_host": "--trusted-host",
    "no_binary": "--no-binary", "editable": "--editable", "requirements": "--requirement",
    "global_options": "--global-option",
}  # fmt: skip


async def version(ctx: FunctionContext, bin_env: str | None = None, **kwargs: Any) -> str:
    """Return the version of pip.

    Args:
        **kwargs: `user`, `cwd`.

    Raises:
        StateFailedError: pip is not installed.
    """
    answer = await _must(ctx, "look for pip", bin_env, ["--version"], kwargs)
    match = _VERSION.match(answer.stdout.decode("utf-8", "replace"))
    return match["version"] if match else ""


async def list_(
    ctx: FunctionContext, prefix: str | None = None, bin_env: str | None = None, **kwargs: Any
) -> dict[str, str]:
    """Return the versions of the installed packages by name, normalized as in PEP 503.

    Args:
        prefix: only names that start with it.
        **kwargs: `user`, `cwd`, `env_vars`.

    Raises:
        StateFailedError: pip is not installed, or fails.
    """
    words = ["list", "--format=json", "--disable-pip-version-check"]
    answer = await _must(ctx, "list the Python packages", bin_env, words, kwargs)
    packages: list[dict[str, str]] = json.loads(answer.stdout)
    versions = {normalize(ctx, each["name"]): each["version"] for each in packages}
    start = normalize(ctx, prefix or "")
    return {name: number for name, number in versions.items() if name.startswith(start)}


async def freeze(ctx: FunctionContext, bin_env: str | None = None, **kwargs: Any) -> list[str]:
    """Return the installed packages as lines of a requirements file.

    Args:
        **kwargs: `user`, `cwd`, `env_vars`.
    """
    words = ["freeze", "--all", "--disable-pip-version-check"]
    answer = await _must(ctx, "list the Python packages", bin_env, words, kwargs)
    return answer.stdout.decode("utf-8", "replace").splitlines()


async def list_upgrades(ctx: FunctionContext, bin_env: str | None = None, **kwargs: Any) -> dict[str, str]:
    """Return the packages of which the index has a newer version, by normalized name, with that version.

    Args:
        **kwargs: `user`, `cwd`, `env_vars`.

    Raises:
        StateFailedError: pip is not installed, or fails.
    """
    words = ["list", "--outdated", "--format=json", "--disable-pip-version-check"]
    answer = await _must(ctx, "look for upgrades of Python packages", bin_env, words, kwargs)
    listed: list[dict[str, str]] = json.loads(answer.stdout)
    return {normalize(ctx, each["name"]): each["latest_version"] for each in listed}


async def upgrade(ctx: FunctionContext, bin_env: str | None = None, **kwargs: Any) -> DataMap:
    """Upgrade all packages of which the index has a newer version, one after the other.

    Args:
        **kwargs: `user`, `cwd`, `env_vars`.

    Returns:
        `changes` (`{package: {old, new}}`), `result`, and the errors of pip as `comment`.

    Raises:
        StateFailedError: pip is not installed.
    """
    before = await list_(ctx, bin_env=bin_env, **kwargs)
    errors: list[str] = []
    for package in await list_upgrades(ctx, bin_env, **kwargs):
        done: DataMap = await install(ctx, [package], bin_env=bin_env, **kwargs, upgrade=True)
        if done["retcode"]:
            errors.append(str(done["stderr"]))
    after = await list_(ctx, bin_env=bin_env, **kwargs)
    return {"changes": difference(before, after), "result": not errors, "comment": "".join(errors)}


async def install(
    ctx: FunctionContext,
    pkgs: str | Sequence[str] | None = None,
    requirements: str | list[str] | None = None,
    bin_env: str | None = None,
    **kwargs: Any,
) -> DataMap:
    """Install packages.

    Args:
        pkgs: requirement specifiers, as a list or separated by commas (then write `;` for a comma in one).
        requirements: the path of a requirements file on the target, or a list of paths.
        **kwargs: `user`, `cwd`, `env_vars`; `upgrade`, `force_reinstall`, `ignore_installed`, `no_deps`,
            `no_index`, `pre_releases`, `no_cache_dir`; `index_url`, `extra_index_url`, `find_links`,
            `trusted_host`, `proxy`, `timeout`, `target`, `cert`, `cache_dir`, `no_binary`, `editable`,
            `extra_args`.

    Example:
        ensue call '*' pip.install 'requests>=2.32' bin_env=/srv/shop/venv

    Returns:
        `retcode`, `stdout` and `stderr`.

    Raises:
        StateFailedError: pip is not installed.
    """
    requested = (
        [each.strip().replace(";", ",") for each in pkgs.split(",")] if isinstance(pkgs, str) else pkgs
    )
    words = ["install", "--disable-pip-version-check", *_options({**kwargs, "requirements": requirements})]
    done = await _run(ctx, bin_env, [*words, *filter(None, requested or [])], kwargs)
    return _answer(ctx, done)


async def uninstall(
    ctx: FunctionContext,
    pkgs: str | Sequence[str] | None = None,
    requirements: str | list[str] | None = None,
    bin_env: str | None = None,
    **kwargs: Any,
) -> DataMap:
    """Uninstall packages; returns `retcode`, `stdout` and `stderr`.

    Args:
        pkgs: names, as a list or separated by commas.
        requirements: the path of a requirements file on the target, or a list of paths.
        **kwargs: `user`, `cwd`, `env_vars`.

    Example:
        ensue call '*' pip.uninstall requests bin_env=/srv/shop/venv
    """
    requested = [each.strip() for each in pkgs.split(",")] if isinstance(pkgs, str) else pkgs
    words = ["uninstall", "-y", *_options({"requirements": requirements}), *(requested or [])]
    return _answer(ctx, await _run(ctx, bin_env, words, kwargs))


def normalize(ctx: FunctionContext, pkg: str) -> str:
    """Return a package's name, normalized as in PEP 503.

    Args:
        pkg: the name.

    Example:
        ensue call '*' pip.normalize Typing_Extensions
    """
    return re.sub(r"[-_.]+", "-", pkg).lower()


def _options(given: Mapping[str, Any]) -> list[str]:
    words = [flag for name, flag in _FLAGS.items() if given.get(name)]
    words += [
        word
        for name, flag in _VALUES.items()
        if given.get(name) is not None
        for word in (flag, str(given[name]))
    ]
    for name, flag in _LISTS.items():
        values: Any = given.get(name) or []
        several = values if is_list(values) else str(values).split(",")
        words += [word for each in several for word in (flag, str(each).strip())]
    extra: list[Any] = given.get("extra_args") or []
    for each in extra:
        words += [str(part) for pair in each.items() for part in pair] if is_mapping(each) else [str(each)]
    return words


async def _must(
    ctx: FunctionContext, what: str, bin_env: str | None, words: Sequence[str], options: Mapping[str, Any]
) -> Completed:
    done = await _run(ctx, bin_env, words, options)
    if done.returncode:
        output = done.stderr.decode("utf-8", "replace").strip()
        raise StateFailedError(f"cannot {what} on {ctx.srn}: {output}")
    return done


async def _run(
    ctx: FunctionContext, bin_env: str | None, words: Sequence[str], options: Mapping[str, Any]
) -> Completed:
    given: dict[str, Any] = options.get("env_vars") or {}
    env: dict[str, str | None] = {key: str(value) for key, value in given.items()}
    env |= {"LC_ALL": "C.UTF-8", "PIP_NO_INPUT": "1"}
    for program in await _programs(ctx, bin_env):
        command = Command(
            argv=[*program, *words],
            env=env,
            user=options.get("user"),
            cwd=options.get("cwd") or "/",
            is_followed=words[0] == "install",
        )
        done = await ctx.connection.run(command)
        if done.returncode != _NOT_FOUND:
            return done
    where = bin_env or str(ctx.srn)
    raise StateFailedError(f"Could not find a `pip` binary: there is none in {where}; install it there")


async def _programs(ctx: FunctionContext, bin_env: str | None) -> list[list[str]]:
    if not bin_env:
        return [["pip3"], ["pip"], ["python3", "-m", "pip"]]
    environment = await ctx.connection.stat(bin_env, follow=True)
    if environment is not None and environment.kind == "directory":
        return [[posixpath.join(bin_env, "bin", "python"), "-m", "pip"]]
    return [[bin_env]]


def _answer(ctx: FunctionContext, done: Completed) -> DataMap:
    stdout, stderr = (part.decode("utf-8", "replace") for part in (done.stdout, done.stderr))
    return {"retcode": done.returncode, "stdout": ctx.masker.text(stdout), "stderr": ctx.masker.text(stderr)}


FUNCTIONS: Final = by_name(freeze, install, list_, list_upgrades, normalize, uninstall, upgrade, version)
