"""Execution module `virtualenv`: Python virtual environments on the target.

It uses the target's `virtualenv`, or the standard library's `venv`.

Source: Salt's execution module `virtualenv`, 3008: names, arguments and return values.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.connection import Command
from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.connection import Completed
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_NOT_FOUND: Final = 127
_INTERPRETER: Final = re.compile(r"(python|pypy)[0-9.]*\Z")
_PURELIB: Final = 'import sysconfig; print(sysconfig.get_path("purelib"))'


class _VirtualenvOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The arguments of `create` except the path."""

    python: str = ""
    flags: tuple[str, ...] = ()
    only_virtualenv: tuple[str, ...] = ()
    only_venv: tuple[str, ...] = ()
    prompt: str = ""


async def create(
    ctx: FunctionContext,
    path: str,
    venv_bin: str | None = None,
    *,
    system_site_packages: bool = False,
    distribute: bool = False,  # removed from virtualenv in 1.10
    clear: bool = False,
    python: str | None = None,
    extra_search_dir: str | list[str] | None = None,
    never_download: bool | None = None,
    prompt: str | None = None,
    symlinks: bool | None = None,
    upgrade: bool | None = None,
    user: str | None = None,
) -> DataMap:
    """Create a virtual environment.

    Args:
        path: its folder.
        venv_bin: `venv`, an interpreter (`python3.12`) or a `virtualenv`. By default `venv_bin` in pillar or
            the options, then the target's `virtualenv`, then `venv`.
        system_site_packages: give it access to the system's packages.
        distribute: accepted as by Salt, without effect.
        clear: empty an existing folder.
        python: the interpreter to create it for.
        extra_search_dir: folders in which `virtualenv` looks for wheels, as a list or separated by commas.
        never_download: prevent `virtualenv` from downloading wheels.
        prompt: the prefix of the shell prompt.
        symlinks: let `venv` link the interpreter instead of copying it.
        upgrade: let `venv` upgrade the environment to the current interpreter.
        user: the user who creates it.

    Example:
        ensue call '*' virtualenv.create /srv/shop/venv

    Returns:
        `retcode`, `stdout` and `stderr`. After a failure, an incomplete folder is removed.

    Raises:
        StateFailedError: the target has neither program, or the program does not support a given option.
    """
    several = extra_search_dir.split(",") if isinstance(extra_search_dir, str) else extra_search_dir or []
    folders = [each.strip() for each in several if each.strip()]
    only_virtualenv = [f"--extra-search-dir={each}" for each in folders]
    if never_download is not None:
        only_virtualenv.append("--no-download" if never_download else "--download")
    flags = [
        flag for flag, is_wanted in (("--clear", clear), ("--system-site-packages", system_site_packages))
        if is_wanted
    ]  # fmt: skip
    request = _VirtualenvOptions(
        python=(python or "").strip(),
        flags=tuple(flags),
        only_virtualenv=tuple(only_virtualenv),
        only_venv=tuple(flag for flag, given in (("--upgrade", upgrade), ("--symlinks", symlinks)) if given),
        prompt=(prompt or "").strip(),
    )
    was_there = await ctx.connection.stat(path) is not None
    done = await _made(ctx, path, venv_bin or _configured(ctx), request, user)
    if done.returncode and not was_there:
        await ctx.connection.remove(path, recursive=True)
    stdout, stderr = (part.decode("utf-8", "replace") for part in (done.stdout, done.stderr))
    return {"retcode": done.returncode, "stdout": stdout, "stderr": stderr}


async def get_site_packages(ctx: FunctionContext, venv: str) -> str:
    """Return the site-packages folder of a virtual environment.

    Args:
        venv: its path.

    Example:
        ensue call '*' virtualenv.get_site_packages /srv/shop/venv

    Raises:
        StateFailedError: the path is not a virtual environment.
    """
    program = posixpath.join(venv, "bin", "python")
    done = await ctx.connection.run(Command(argv=[program, "-c", _PURELIB]))
    if done.returncode:
        raise StateFailedError(f"{venv} is not a virtual environment: {program} does not run on {ctx.srn}")
    return done.stdout.decode("utf-8", "replace").strip()


def _configured(ctx: FunctionContext) -> str | None:
    for name in ("virtualenv.venv_bin", "venv_bin"):
        for place in (ctx.pillar, ctx.opts):
            if place.get(name):
                return str(place[name])
    return None


async def _made(
    ctx: FunctionContext, path: str, program: str | None, request: _VirtualenvOptions, user: str | None
) -> Completed:
    is_interpreter = bool(program and _INTERPRETER.match(posixpath.basename(program)))
    if is_interpreter and request.python:
        raise StateFailedError("`venv_bin` and `python` both name an interpreter; give one of them")
    if program is None:
        done = await _run(ctx, _virtualenv("virtualenv", path, request), user)
        if done.returncode != _NOT_FOUND:
            return done
        program = "venv"
    if program != "venv" and not is_interpreter and "venv" in program and request.python:
        raise StateFailedError(f"`{program}` does not support `python`; name the interpreter in `venv_bin`")
    if "virtualenv" in program or not ("venv" in program or is_interpreter):
        words = _virtualenv(program, path, request)
    else:
        words = _venv(program, path, request, is_interpreter=is_interpreter)
    done = await _run(ctx, words, user)
    if done.returncode == _NOT_FOUND:
        raise StateFailedError(f"{ctx.srn} has no program `{words[0]}`; install it there")
    return done


def _virtualenv(program: str, path: str, request: _VirtualenvOptions) -> list[str]:
    if request.only_venv:
        raise StateFailedError(
            f"`{program}` does not support {' '.join(request.only_venv)}; `venv_bin: venv` does"
        )
    words = [program, *request.only_virtualenv]
    if request.python:
        words.append(f"--python={request.python}")
    if request.prompt:
        words.append(f"--prompt={request.prompt}")
    return [*words, *request.flags, path]


def _venv(program: str, path: str, request: _VirtualenvOptions, *, is_interpreter: bool) -> list[str]:
    if request.only_virtualenv:
        given = " ".join(request.only_virtualenv)
        raise StateFailedError(
            f"`venv` does not support {given}; `virtualenv` does: install it, or name it in `venv_bin`"
        )
    words = [program, "-m", "venv"] if is_interpreter else [program]
    if program == "venv":
        words = [request.python or "python3", "-m", "venv"]
    words += request.only_venv
    if request.prompt:
        words += ["--prompt", request.prompt]
    return [*words, *request.flags, path]


async def _run(ctx: FunctionContext, words: Sequence[str], user: str | None) -> Completed:
    env = {"LC_ALL": "C.UTF-8"}
    return await ctx.connection.run(Command(argv=words, env=env, user=user, cwd="/"))


FUNCTIONS: Final = by_name(create, get_site_packages)
