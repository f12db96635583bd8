"""State module `docker_image`: images of a container engine.

Source: Salt's extension `saltext-dockermod`, 0.1, which was Salt's state module `docker_image`: arguments,
results, changes and comments. Unlike Salt's, a plan has `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


class _ImageSource(msgspec.Struct, frozen=True, kw_only=True):
    """The parsed arguments: the name of an image, and where it comes from.

    Args:
        name: its name.
        tag: its tag, empty for none.
        build: a folder with a Dockerfile.
        load: an archive.
        dockerfile: the name of the Dockerfile.
        insecure_registry: whether the registry is used without TLS.
        build_arguments: arguments of `docker.build`.
    """

    name: str
    tag: str = ""
    build: str | None = None
    load: str | None = None
    dockerfile: str | None = None
    insecure_registry: bool = False
    build_arguments: dict[str, Any] = {}

    @property
    def image(self) -> str:
        return f"{self.name}:{self.tag}" if self.tag else self.name

    @property
    def action(self) -> str:
        return "built" if self.build else "loaded" if self.load else "pulled"


@also_takes("base", "saltenv", "pillarenv", "pillar", "buildargs", "cache", "rm")
async def present(
    ctx: StateContext,
    name: str,
    *,
    tag: str | float | None = None,
    build: str | None = None,
    load: str | None = None,
    force: bool = False,
    insecure_registry: bool = False,
    client_timeout: int | None = None,
    dockerfile: str | None = None,
    sls: Any = None,
    **kwargs: Any,
) -> StateReturn:
    """Pull, build or load an image that is missing.

    Args:
        name: its name, with `:tag` or without.
        tag: its tag; required for `build` and `load`.
        build: build it from this folder of the target, which has a Dockerfile.
        load: load it from this archive of `docker save`: a path of the target, or a source.
        force: pull, build or load it even if it exists.
        insecure_registry: refused, because insecure registries are set in the configuration of docker.
        client_timeout: has no effect.
        dockerfile: name of the Dockerfile.
        sls: refused; build with a Dockerfile, or apply SLS to a resource of the type `container`.
        **kwargs: `buildargs`, `cache` and `rm` for a build.

    Example:
        shop:2.1:
          docker_image.present:
            - build: /srv/shop

    Returns:
        `changes` has `Layers`, or for a build `Id` and `Image`; `new_state` has `name id tags`.

    Raises:
        StateFailedError: docker does not answer.
    """
    if sls is not None:
        comment = (
            "`sls` is not supported: use a Dockerfile with `build`, or apply SLS to a running container,"
            " which the resource type `container` is for"
        )
        return StateReturn.failed(name, comment)
    source = _ImageSource(
        name=str(name),
        tag="" if tag is None else str(tag),
        build=build,
        load=load,
        dockerfile=dockerfile,
        insecure_registry=insecure_registry,
        build_arguments={word: kwargs[word] for word in ("buildargs", "cache", "rm") if word in kwargs},
    )
    if build and load:
        return StateReturn.failed(name, "Only one of 'build' or 'load' is permitted.")
    if (build or load) and not tag:
        comment = "The 'tag' argument is required if any one of 'build' or 'load' is used."
        return StateReturn.failed(name, comment)
    image: dict[str, Any] | None = await ctx.call("docker.find_image", source.image)
    if image is not None and not force:
        return StateReturn.unchanged(name, f"Image {source.image} already present", _state(source, image))
    if ctx.test:
        changes: DataMap = {"image": {"old": image["Id"] if image else None, "new": source.image}}
        return StateReturn.planned(name, f"Image {source.image} will be {source.action}", changes)
    return await _obtained(ctx, source, image)


async def _obtained(ctx: StateContext, source: _ImageSource, before: dict[str, Any] | None) -> StateReturn:
    try:
        done = await _obtain(ctx, source)
    except StateFailedError as fault:
        return StateReturn.failed(source.name, str(fault))
    image: dict[str, Any] | None = await ctx.call("docker.find_image", source.image)
    if image is None:
        why = done.get("Warning", "docker does not have it")
        comment = f"Image {source.image} was {source.action}, but does not exist: {why}"
        return StateReturn.failed(source.name, comment)
    is_new = before is None or before["Id"] != image["Id"]
    text = f"Image '{source.image}' was {source.action}"
    return StateReturn.changed(
        source.name,
        text if is_new else f"{text}, but there were no changes",
        done if is_new else {},
        _state(source, image),
    )


async def _obtain(ctx: StateContext, source: _ImageSource) -> dict[str, Any]:
    if source.build:
        done: dict[str, Any] = await ctx.call(
            "docker.build",
            source.build,
            source.name,
            source.tag,
            dockerfile=source.dockerfile,
            **source.build_arguments,
        )
    elif source.load:
        done = await ctx.call("docker.load", source.load, source.name, source.tag)
    else:
        done = await ctx.call("docker.pull", source.image, insecure_registry=source.insecure_registry)
    return done


def _state(source: _ImageSource, image: dict[str, Any]) -> DataMap:
    return {"name": source.image, "id": image["Id"], "tags": [*(image.get("RepoTags") or [])]}


async def absent(
    ctx: StateContext, name: str, images: list[str] | None = None, *, force: bool = False
) -> StateReturn:
    """Remove images.

    Args:
        name: the image, with its tag.
        images: several images, instead of `name`.
        force: also remove an image that containers use.

    Example:
        shop:2.0:
          docker_image.absent

    Returns:
        `changes` has the removed `Layers` and `Tags`; `new_state` has `name exists`.

    Raises:
        StateFailedError: docker does not answer.
    """
    targets = [str(reference) for reference in images] if images else [str(name)]
    resolved = [await ctx.call("docker.resolve_tag", reference) for reference in targets]
    there = {reference: tag for reference, tag in zip(targets, resolved, strict=True) if tag is not False}
    gone: DataMap = {"name": name, "exists": False}
    if not there:
        comment = (
            f"Image {targets[0]} is not present"
            if len(targets) == 1
            else "All specified images are not present"
        )
        return StateReturn.unchanged(name, comment, gone)
    named = ", ".join(there)
    if ctx.test:
        comment = f"The following images will be removed: {named}"
        if len(there) == 1:
            comment = f"Image {named} will be removed"
        return StateReturn.planned(name, comment, {"Tags": [*there]})
    done: dict[str, Any] = await ctx.call("docker.rmi", *there, force=force)
    left = [reference for reference in there if await ctx.call("docker.resolve_tag", reference) is not False]
    if left:
        errors = "; ".join(done.get("Errors", []))
        comment = f"The following image(s) failed to be removed: {', '.join(left)}. {errors}".rstrip(". ")
        changes = done if len(left) < len(there) else {}
        return StateReturn.failed(name, comment, changes)
    comment = (
        f"Image {named} was removed" if len(there) == 1 else f"The following images were removed: {named}"
    )
    return StateReturn.changed(name, comment, done, gone)


@also_takes(
    "tag", "build", "load", "force", "insecure_registry", "client_timeout", "dockerfile", "sls", "base",
    "saltenv", "pillarenv", "pillar", "buildargs", "cache", "rm", "images",
)  # fmt: skip
async def mod_watch(ctx: StateContext, name: str, sfun: str = "present", **kwargs: Any) -> StateReturn:
    """Pull, build or load an image again because a watched state has changes.

    Args:
        name: the image.
        sfun: the function of the state that watches.
        **kwargs: its other arguments.

    Raises:
        StateFailedError: the function is not `present`.
    """
    if sfun != "present":
        raise StateFailedError(f"watch requisite is not implemented for {sfun}")
    forced: dict[str, Any] = {**kwargs, "force": True}
    return await present(ctx, name, **forced)


FUNCTIONS: Final = by_name(absent, mod_watch, present)

MOD_WATCH = mod_watch
