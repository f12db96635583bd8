"""Execution module `gem`: Ruby gems.

Args:
    gem_bin: the program to run instead of `gem`.
    runas: the user who runs it.
    **kwargs: accepted as by Salt, without effect.
    gems: names, separated by blanks, or a file of the target.

Source: Salt's execution module `gem`, 3007: names and return values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.connection import Command
from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext

_NOT_FOUND: Final = 127
_LISTED: Final = re.compile(r"(?P<name>\S+) \((?P<versions>[^)]*)\)")


async def list_(
    ctx: FunctionContext,
    prefix: str = "",
    gem_bin: str | None = None,
    runas: str | None = None,
    **kwargs: Any,
) -> dict[str, list[str]]:
    """Return the installed versions of each gem.

    Args:
        prefix: only gems whose names begin with this.

    Raises:
            StateFailedError: the program gem is missing, or failed.
    """
    output = await _must(ctx, ["list", "--local", *([f"^{prefix}"] if prefix else [])], gem_bin, runas)
    lines = (_LISTED.match(line) for line in output.splitlines())
    return {
        match["name"]: [
            each.strip().removeprefix("default: ").split()[0] for each in match["versions"].split(",")
        ]
        for match in lines
        if match
    }


async def install(
    ctx: FunctionContext,
    gems: str,
    gem_bin: str | None = None,
    runas: str | None = None,
    version: str | None = None,
    rdoc: bool = False,
    ri: bool = False,
    pre_releases: bool = False,
    proxy: str | None = None,
    source: str | None = None,
    **kwargs: Any,
) -> str:
    """Install gems.

    Args:
        version: the version.
        rdoc: install HTML documentation, too.
        ri: install documentation for `ri`, too.
        pre_releases: allow prereleases.
        proxy: the proxy to use.
        source: the source to install from.

    Example:
        ensue call '*' gem.install bundler

    Returns:
            The output of gem.

    Raises:
            StateFailedError: the program gem is missing, or failed.
    """
    documents = [kind for kind, is_documented in (("rdoc", rdoc), ("ri", ri)) if is_documented]
    words = ["install", *gems.split(), f"--document={','.join(documents)}" if documents else "--no-document"]
    for flag, value in (("--version", version), ("--http-proxy", proxy), ("--source", source)):
        words += [flag, value] if value else []
    words += ["--prerelease"] if pre_releases else []
    return await _must(ctx, words, gem_bin, runas)


async def uninstall(
    ctx: FunctionContext, gems: str, gem_bin: str | None = None, runas: str | None = None, **kwargs: Any
) -> str:
    """Uninstall all versions of gems, and their programs; see `install`.

    Example:
        ensue call '*' gem.uninstall bundler
    """
    return await _must(ctx, ["uninstall", *gems.split(), "--all", "--executables"], gem_bin, runas)


async def _must(ctx: FunctionContext, words: Sequence[str], gem_bin: str | None, runas: str | None) -> str:
    command = Command(
        argv=[gem_bin or "gem", *words],
        user=runas,
        env={"LC_ALL": "C.UTF-8"},
        cwd="/",
        is_followed=words[0] == "install",
    )
    done = await ctx.connection.run(command)
    if done.returncode == _NOT_FOUND:
        raise StateFailedError(f"{ctx.srn} has no program `{gem_bin or 'gem'}`; install it there")
    if done.returncode:
        output = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise StateFailedError(f"gem {words[0]} failed on {ctx.srn}: {output}")
    return done.stdout.decode("utf-8", "replace")


FUNCTIONS: Final = by_name(install, list_, uninstall)
