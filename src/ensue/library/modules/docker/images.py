"""Execution functions that list, pull, build, load, tag and remove images.

Source: Salt's extension `saltext-dockermod`, 0.1: names, arguments and return values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules.docker.client import (
    all_described,
    answered,
    checked,
    described,
    items,
    must_describe,
    output_of,
)
from ensue.library.modules.docker.option_forms import pairs

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_SHORT: Final = 12
_LOADED: Final = re.compile(r"^Loaded image(?:\(s\)| ID)?: (.*)$", re.MULTILINE)


async def inspect_image(ctx: FunctionContext, name: str) -> dict[str, Any]:
    """Return the engine's description of an image.

    Args:
        name: its name with tag, or its id.

    Example:
        ensue call '*' docker.inspect_image nginx:1.27

    Raises:
        StateFailedError: there is no such image, or the engine does not answer.
    """
    return await must_describe(ctx, "image", name)


async def find_image(ctx: FunctionContext, name: str) -> dict[str, Any] | None:
    """Return the engine's description of an image, None if it does not exist; see `inspect_image`.

    Args:
        name: the image, by name or id.

    Example:
        ensue call '*' docker.find_image nginx:1.27
    """
    return await described(ctx, "image", name)


async def images(ctx: FunctionContext, *, verbose: bool = False, all: bool = False) -> DataMap:  # noqa: A002 (Salt's name)
    """Return the images by id.

    Args:
        verbose: add `Info`, the engine's full description.
        all: include images without a tag.

    Example:
        ensue call '*' docker.images

    Returns:
        For each `RepoTags`, `RepoDigests`, `ParentId`, `Size` and the time of creation.
    """
    flags = ["--all"] if all else []
    text = await output_of(ctx, "image", "ls", "--quiet", "--no-trunc", *flags, what="list images")
    by_id: DataMap = {}
    for about in await all_described(ctx, "image", sorted(set(text.split()))):
        tags = items(about, "RepoTags")
        if tags or all:
            by_id[str(about["Id"])] = {
                "RepoTags": tags,
                "RepoDigests": items(about, "RepoDigests"),
                "ParentId": about.get("Parent") or "",
                "Size": about.get("Size"),
                "Time_Created_Local": about.get("Created"),
                **({"Info": about} if verbose else {}),
            }
    return by_id


async def list_tags(ctx: FunctionContext) -> list[str]:
    """Return all names of images with their tags, sorted."""
    by_id = await images(ctx)
    return sorted({str(tag) for about in by_id.values() for tag in _tags(about)})


async def resolve_image_id(ctx: FunctionContext, name: str) -> str | bool:
    """Return the id of an image, False if it does not exist.

    Args:
        name: the image, by name or id.

    Example:
        ensue call '*' docker.resolve_image_id nginx:1.27
    """
    about = await described(ctx, "image", name)
    return str(about["Id"]) if about else False


async def resolve_tag(ctx: FunctionContext, name: str, *, all: bool = False) -> str | list[str] | bool:  # noqa: A002 (Salt's name)
    """Return the name and tag of an image, False if it does not exist.

    Args:
        name: its name, with or without a tag, or its id.
        all: return all its names.

    Example:
        ensue call '*' docker.resolve_tag web

    Returns:
        Its first name, or all of them; its id if it has no name.
    """
    about = await described(ctx, "image", name)
    if about is None:
        return False
    tags = [str(tag) for tag in _tags(about)] or [str(about["Id"])]
    return tags if all else tags[0]


async def pull(
    ctx: FunctionContext,
    image: str,
    *,
    insecure_registry: bool = False,
    client_timeout: int | None = None,
    **others: Any,  # how a library reports
) -> DataMap:
    """Pull an image.

    Args:
        image: its name; without a tag, `latest` is used.
        insecure_registry: refused: insecure registries belong in the engine's configuration.
        client_timeout: has no effect.

    Example:
        ensue call '*' docker.pull nginx:1.27

    Returns:
        `Status`, and `Layers` with the image's short id in `Pulled` or `Already_Pulled`.

    Raises:
        StateFailedError: the image cannot be pulled.
    """
    if insecure_registry:
        raise StateFailedError(
            "docker's client cannot pull from an insecure registry on demand: add it to `insecure-registries`"
            " of the engine's configuration (/etc/docker/daemon.json)"
        )
    before = await resolve_image_id(ctx, image)
    text = await output_of(ctx, "pull", checked(image), what=f"pull the image {image}")
    after = await resolve_image_id(ctx, image)
    if not after:
        raise StateFailedError(f"docker pulled {image} and does not have it")
    done = "Already_Pulled" if before == after else "Pulled"
    status = next((line for line in text.splitlines() if line.startswith("Status:")), "")
    return {
        "Layers": {done: [short_id(after)]},
        "Status": status.removeprefix("Status:").strip(),
        "retcode": 0,
    }


async def build(
    ctx: FunctionContext,
    path: str,
    repository: str | None = None,
    tag: str | None = None,
    *,
    cache: bool = True,
    rm: bool = True,
    dockerfile: str | None = None,
    buildargs: Any = None,
    **others: Any,  # how a library reports
) -> DataMap:
    """Build an image from a folder of the target.

    Args:
        path: the folder, or a URL.
        repository: the image's name.
        tag: the image's tag.
        cache: use the cache of earlier builds.
        rm: remove the containers that the build makes.
        dockerfile: the path of the Dockerfile, relative to the folder.
        buildargs: arguments of the build.

    Example:
        ensue call '*' docker.build /srv/shop

    Returns:
        `Id` (short) and `Image`, the names of the image.

    Raises:
        StateFailedError: the build fails.
    """
    if (repository is None) != (tag is None):
        raise StateFailedError("If tagging, both a repository and tag are required")
    arguments = pairs(buildargs or {}, "=", "buildargs")
    flags = [f"--tag={repository}:{tag}"] if repository else []
    flags += [f"--rm={'true' if rm else 'false'}", *([] if cache else ["--no-cache"])]
    if dockerfile:
        flags.append(f"--file={dockerfile if dockerfile.startswith('/') else f'{path}/{dockerfile}'}")
    flags += [f"--build-arg={name}={value}" for name, value in arguments.items()]
    text = await output_of(ctx, "build", "--quiet", *flags, checked(path), what=f"build {path}")
    made = f"{repository}:{tag}" if repository else text.split()[-1]
    about = await inspect_image(ctx, made)
    return {"Id": short_id(about["Id"]), "Image": [*_tags(about)] or [str(about["Id"])]}


async def load(
    ctx: FunctionContext, path: str, repository: str | None = None, tag: str | None = None
) -> DataMap:
    """Load images from an archive of `docker save`.

    Args:
        path: the archive: a path of the target, or a source (`salt://`, `http://`).
        repository: the new name of the image.
        tag: its tag.

    Example:
        ensue call '*' docker.load /srv/shop

    Returns:
        `Path`, `Layers` (the short ids of new images), `Image` if it was tagged, `Warning`.

    Raises:
        StateFailedError: there is no such archive, or it cannot be loaded.
    """
    if (repository is None) != (tag is None):
        raise StateFailedError("If tagging, both a repository and tag are required")
    local = path if path.startswith("/") else await ctx.call("cp.cache_file", path)
    if not local or await ctx.connection.stat(str(local), follow=True) is None:
        raise StateFailedError(f"Source file {path} does not exist")
    before = set(await images(ctx, all=True))
    text = await output_of(ctx, "load", f"--input={local}", what=f"load {path}")
    new = sorted(set(await images(ctx, all=True)) - before)
    done: DataMap = {"Path": path, "Layers": [short_id(image) for image in new]}
    if repository is None:
        return done
    loaded = _loaded(text) or new
    if len(loaded) != 1:
        names = ", ".join(loaded) or "none"
        return {**done, "Warning": f"{path} must contain exactly one image to tag it, but contains: {names}"}
    await output_of(ctx, "tag", loaded[0], f"{repository}:{tag}", what=f"tag {loaded[0]}")
    return {**done, "Image": f"{repository}:{tag}"}


def _loaded(text: str) -> list[str]:
    """Return the images that `docker load` names."""
    return [word.strip() for line in _LOADED.findall(text) for word in line.split(",") if word.strip()]


async def rmi(ctx: FunctionContext, *names: str, force: bool = False, prune: bool = True) -> DataMap:
    """Remove images.

    Args:
        *names: their names or ids.
        force: remove images that have several names or are used by containers, too.
        prune: also remove parent images without a name.

    Returns:
        The removed `Layers` and `Tags`, `retcode`, and `Errors` if there are any.
    """
    before, tags = await images(ctx, all=True), await list_tags(ctx)
    flags = [*(["--force"] if force else []), *([] if prune else ["--no-prune"])]
    errors: list[str] = []
    for name in names:
        answer = await answered(ctx, "image", "rm", *flags, checked(name))
        if not answer.is_success:
            errors.append(answer.complaint())
    after, left = await images(ctx, all=True), await list_tags(ctx)
    done: DataMap = {
        "Layers": [image for image in before if image not in after],
        "Tags": [tag for tag in tags if tag not in left],
        "retcode": 1 if errors else 0,
    }
    return {**done, "Errors": [*errors]} if errors else done


async def tag(ctx: FunctionContext, name: str, repository: str, tag: str = "latest") -> bool:
    """Give an image another name.

    Args:
        repository: the additional name.
        tag: its tag.

    Example:
        ensue call '*' docker.tag web:build registry.example.com/web 1.4

    Raises:
        StateFailedError: there is no such image.
    """
    await output_of(ctx, "tag", checked(name), f"{repository}:{tag}", what=f"tag the image {name}")
    return True


def short_id(identity: Any) -> str:
    """Return an id as docker prints it in lists."""
    return str(identity).removeprefix("sha256:")[:_SHORT]


def _tags(about: Any) -> list[Any]:
    return [tag for tag in items(about, "RepoTags") if tag != "<none>:<none>"]


FUNCTIONS: Final = by_name(
    build, find_image, images, inspect_image, list_tags, load, pull, resolve_image_id, resolve_tag, rmi, tag
)
