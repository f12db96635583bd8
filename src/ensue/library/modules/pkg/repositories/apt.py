"""The functions of module `pkg` for apt repositories.

Source: Salt's execution module `pkg` (aptpkg), 3008: names and return values.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.errors import NotAvailableError, StateFailedError
from ensue.core.model.data import is_list
from ensue.library.modules.pkg.manager import manager_name
from ensue.library.modules.pkg.repositories.files import MAIN, PARTS, empty_file, save, source_files
from ensue.library.modules.pkg.repositories.keys import fetched_key, install_key, key_path
from ensue.library.modules.pkg.repositories.source import AptSource, named_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap
    from ensue.library.modules.pkg.repositories.files import AptSourceFile


class ExistingRepository(msgspec.Struct, kw_only=True, frozen=True):
    """An existing repository.

    Args:
        source: the repository.
        file: the file that lists it.
    """

    source: AptSource
    file: AptSourceFile


async def list_repos(ctx: FunctionContext, **kwargs: Any) -> dict[str, list[DataMap]]:
    """Return the apt repositories by URI.

    Args:
        **kwargs: parts of the line by name, as for `mod_repo`.
    """
    await _need_apt(ctx)
    repos: dict[str, list[DataMap]] = {}
    for file in await source_files(ctx):
        for source in file.all:
            repos.setdefault(source.uri, []).append(source.as_data(file.path))
    return repos


async def get_repo(ctx: FunctionContext, repo: str, **kwargs: Any) -> DataMap:
    """Return the repository of a sources line, an empty mapping if it does not exist.

    Args:
        repo: its line in the one-line style, or `ppa:owner/name`.
        **kwargs: parts of the line by name, as for `mod_repo`.

    Example:
        ensue call '*' pkg.get_repo 'deb https://apt.example.com stable main'
    """
    source = await find(ctx, await wanted_source(ctx, repo, kwargs))
    return source.source.as_data(source.file.path) if source else {}


async def plan_repo(ctx: FunctionContext, repo: str, **kwargs: Any) -> DataMap:
    """Return a repository as `mod_repo` would write it; Salt has no such function.

    Args:
        repo: its line in the one-line style, or `ppa:owner/name`.
        **kwargs: those of `mod_repo`.

    Example:
        ensue call '*' pkg.plan_repo 'deb https://apt.example.com stable main'
    """
    source = await find(ctx, requested := await wanted_source(ctx, repo, kwargs))
    path = source.file.path if source else str(kwargs.get("file") or await _default_file(ctx, repo))
    return requested.as_data(path)


async def mod_repo(ctx: FunctionContext, repo: str, **kwargs: Any) -> dict[str, DataMap]:
    """Add or change a repository, and install its signing key.

    Args:
        repo: its line in the one-line style, or `ppa:owner/name`.
        **kwargs: `file`, `comps`, `dist`, `architectures`, `disabled`, `comments`, `clean_file`; `key_url`,
            `key_text`, or `keyid` and `keyserver`; `signedby`; `refresh`.

    Example:
        ensue call '*' pkg.mod_repo 'deb https://apt.example.com stable main'

    Returns:
        `{repo: …}` with the repository as `get_repo` returns it.

    Raises:
        StateFailedError: the line cannot be parsed, or the key is not available.
        RemoteFileError: the file cannot be written.
    """
    requested = await wanted_source(ctx, repo, kwargs)
    await _bring_keys(ctx, repo, requested, kwargs)
    path = str(kwargs.get("file") or await _default_file(ctx, repo))
    source = await find(ctx, requested)
    if kwargs.get("clean_file"):
        await save(ctx, empty_file(path).with_source(requested))
    elif source is None:
        files = {file.path: file for file in await source_files(ctx)}
        await save(ctx, files.get(path, empty_file(path)).with_source(requested))
    elif source.source.settings != requested.settings or (
        requested.comment not in {"", source.source.comment}
    ):
        place = source.source.place
        await save(ctx, source.file.changed(lambda old: requested if old.place == place else old))
    if kwargs.get("refresh_db", kwargs.get("refresh", True)):
        await ctx.call("pkg.refresh_db")
    return {repo: await get_repo(ctx, repo, **kwargs)}


async def del_repo(ctx: FunctionContext, repo: str, **kwargs: Any) -> str:
    """Remove a repository.

    Args:
        repo: its line in the one-line style, or `ppa:owner/name`.
        **kwargs: parts of the line by name, as for `mod_repo`.

    Example:
        ensue call '*' pkg.del_repo 'deb https://apt.example.com stable main'

    Returns:
        A message with what was done.

    Raises:
        StateFailedError: there is no such repository.
    """
    source = await wanted_source(ctx, repo, kwargs)
    texts: list[str] = []
    for file in await source_files(ctx):
        left = file.changed(lambda old: None if old.place == source.place else old)
        if len(left.all) != len(file.all):
            await save(ctx, left)
            texts.append(f"Repo '{repo}' has been removed from {file.path}.")
    if not texts:
        raise StateFailedError(f"Repo {repo} doesn't exist in the sources.list(s)")
    if kwargs.get("refresh_db", kwargs.get("refresh", True)):
        await ctx.call("pkg.refresh_db")
    return "\n".join(texts)


async def find(ctx: FunctionContext, requested: AptSource) -> ExistingRepository | None:
    """Return the existing repository that matches a wanted one; an enabled one is preferred."""
    there = [
        ExistingRepository(source=source, file=file)
        for file in await source_files(ctx)
        for source in file.all
        if source.place == requested.place
    ]
    return min(there, key=lambda existing: existing.source.disabled != requested.disabled, default=None)


async def wanted_source(ctx: FunctionContext, repo: str, options: Mapping[str, Any]) -> AptSource:
    """Return the repository that a line and further options describe.

    Raises:
        NotAvailableError: the target has no apt.
        StateFailedError: the line or an option is invalid.
    """
    await _need_apt(ctx)
    source = named_source(await _line(ctx, repo))
    given = dict(source.options)
    architectures = options.get("architectures")
    if architectures:
        given["arch"] = architectures if isinstance(architectures, str) else ",".join(architectures)
    if options.get("signedby"):
        given["signed-by"] = str(options["signedby"])
    if options.get("trusted") is True:
        given["trusted"] = "yes"
    comps = options.get("comps") or ()
    more = comps.split(",") if isinstance(comps, str) else comps
    comments = options.get("comments") or ""
    is_on = options.get("enabled", not options.get("disabled", False))
    return msgspec.structs.replace(
        source,
        dist=str(options.get("dist") or source.dist),
        comps=tuple(dict.fromkeys([*source.comps, *(str(each).strip() for each in more)])),
        options=tuple(given.items()),
        disabled=not is_on,
        comment=comments if isinstance(comments, str) else " ".join(str(each) for each in comments),
    )


async def _bring_keys(ctx: FunctionContext, repo: str, source: AptSource, options: Mapping[str, Any]) -> None:
    keys: list[bytes] = []
    if options.get("key_url"):
        keys = [await ctx.files.read(str(options["key_url"]), saltenv=str(options.get("saltenv", "base")))]
    elif options.get("key_text"):
        keys = [str(options["key_text"]).encode()]
    elif keyids := options.get("keyid") or await _ppa_key(ctx, repo):
        server = options.get("keyserver") or ("keyserver.ubuntu.com" if repo.startswith("ppa:") else None)
        if not server:
            raise StateFailedError("both keyserver and keyid options required.")
        ids = keyids if is_list(keyids) else [keyids]
        keys = [await fetched_key(ctx, str(keyid), str(server)) for keyid in ids]
    signed_by = source.option("signed-by")
    if keys and signed_by:
        await install_key(ctx, b"\n".join(keys), signed_by)
        return
    for number, key in enumerate(keys):
        await install_key(ctx, key, key_path(f"{source.uri} {number or ''}", key))


async def _line(ctx: FunctionContext, repo: str) -> str:
    if not repo.startswith("ppa:"):
        return repo
    owner, name = await _ppa(ctx, repo)
    codename = str((await ctx.grains()).get("oscodename"))
    return f"deb https://ppa.launchpadcontent.net/{owner}/{name}/ubuntu {codename} main"


async def _ppa(ctx: FunctionContext, repo: str) -> tuple[str, str]:
    if (await ctx.grains()).get("os") not in {"Ubuntu", "Mint", "Linuxmint", "neon"}:
        raise StateFailedError(f'cannot parse "ppa:" style repo definitions: {repo}')
    owner, slash, name = repo.removeprefix("ppa:").partition("/")
    if not slash:
        raise StateFailedError(f"{repo} is not a PPA: write ppa:owner/name")
    return owner, name


async def _ppa_key(ctx: FunctionContext, repo: str) -> str | None:
    if not repo.startswith("ppa:"):
        return None
    owner, name = await _ppa(ctx, repo)
    archive = json.loads(await ctx.files.read(f"https://launchpad.net/api/1.0/~{owner}/+archive/{name}"))
    return str(archive["signing_key_fingerprint"])


async def _default_file(ctx: FunctionContext, repo: str) -> str:
    if not repo.startswith("ppa:"):
        return MAIN
    owner, name = await _ppa(ctx, repo)
    codename = str((await ctx.grains()).get("oscodename"))
    return f"{PARTS}/{owner}-{name}-{codename}.list"


async def _need_apt(ctx: FunctionContext) -> None:
    name = await manager_name(ctx)
    if name != "apt":
        raise NotAvailableError(
            f"repositories of {name} are not managed by ensue, those of apt are: use file.managed"
        )
