"""Execution module `virtualenv`: virtual environments of Python on the target.

They are made by `virtualenv`, or by the standard library's `venv`, whichever the target has.

Source: Salt's execution module `virtualenv`, 3008: names, arguments and return values.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.contracts.connection import Command
from ensue.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.contracts.connection import Completed
    from ensue.contracts.context import FunctionContext
    from ensue.model.data import DataMap

_NOT_FOUND: Final = 127
_INTERPRETER: Final = re.compile(r"(python|pypy)[0-9.]*\Z")
_PURELIB: Final = 'import sysconfig; print(sysconfig.get_path("purelib"))'


class _Request(msgspec.Struct, frozen=True, kw_only=True):
    """What `create` is asked for, beside the place."""

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
    distribute: bool = False,  # noqa: ARG001 (virtualenv has not had it since 1.10)
    clear: bool = False,
    python: str | None = None,
    extra_search_dir: str | list[str] | None = None,
    never_download: bool | None = None,
    prompt: str | None = None,
    symlinks: bool | None = None,
    upgrade: bool | None = None,
    user: str | None = None,
) -> DataMap:
    """Make a virtual environment.

    Args:
        ctx: the target.
        path: its folder.
        venv_bin: `venv`, an interpreter (`python3.12`) or a `virtualenv`; without it pillar and options are
            asked for `venv_bin`, then the target's `virtualenv` is used, and `venv` where it has none.
        system_site_packages: its programs see the packages of the system too.
        distribute: Salt's; has no effect.
        clear: empty a folder that is there.
        python: the interpreter that it is for.
        extra_search_dir: where `virtualenv` looks for wheels, a list or joined by commas.
        never_download: whether `virtualenv` must not fetch wheels.
        prompt: what a shell shows.
        symlinks: link the interpreter where `venv` would copy it.
        upgrade: let `venv` use the interpreter of today.
        user: who makes it.

    Returns:
        `retcode stdout stderr`. A folder that a failure left half made is removed.

    Raises:
        StateFailedError: the target has no program for it, or the program lacks an option that is given.
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
    request = _Request(
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
    """Return the folder in which a virtual environment has its packages.

    Raises:
        StateFailedError: the path is no virtual environment.
    """
    program = posixpath.join(venv, "bin", "python")
    done = await ctx.connection.run(Command(argv=[program, "-c", _PURELIB]))
    if done.returncode:
        raise StateFailedError(f"{venv} is no virtual environment: {program} does not run on {ctx.srn}")
    return done.stdout.decode("utf-8", "replace").strip()


def _configured(ctx: FunctionContext) -> str | None:
    for name in ("virtualenv.venv_bin", "venv_bin"):
        for place in (ctx.pillar, ctx.opts):
            if place.get(name):
                return str(place[name])
    return None


async def _made(
    ctx: FunctionContext, path: str, program: str | None, request: _Request, user: str | None
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
        raise StateFailedError(f"`{program}` takes no `python`; give the interpreter as `venv_bin`")
    if "virtualenv" in program or not ("venv" in program or is_interpreter):
        words = _virtualenv(program, path, request)
    else:
        words = _venv(program, path, request, is_interpreter=is_interpreter)
    done = await _run(ctx, words, user)
    if done.returncode == _NOT_FOUND:
        raise StateFailedError(f"{ctx.srn} has no program `{words[0]}`; install it there")
    return done


def _virtualenv(program: str, path: str, request: _Request) -> list[str]:
    if request.only_venv:
        raise StateFailedError(f"`{program}` takes no {' '.join(request.only_venv)}; `venv_bin: venv` does")
    words = [program, *request.only_virtualenv]
    if request.python:
        words.append(f"--python={request.python}")
    if request.prompt:
        words.append(f"--prompt={request.prompt}")
    return [*words, *request.flags, path]


def _venv(program: str, path: str, request: _Request, *, is_interpreter: bool) -> list[str]:
    if request.only_virtualenv:
        given = " ".join(request.only_virtualenv)
        raise StateFailedError(
            f"`venv` takes no {given}; `virtualenv` does: install it, or name it as `venv_bin`"
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


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "create": create,
    "get_site_packages": get_site_packages,
}
