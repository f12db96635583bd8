"""Finds the requested content of a managed file: in the SLS, pillar, grains, or a source, and renders it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.secret_values import is_private_key, is_secret_key
from ensue.library.states.file.attributes import RequestedAttributes
from ensue.library.states.file.contents import encoded, looked_up
from ensue.library.states.file.modes import shown_mode
from ensue.library.states.file.remarks import unread_variables
from ensue.library.states.file.sources import hash_of, open_first, whole_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.content import Content
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data
    from ensue.library.states.file.sources import ContentSource, ContentTemplate


_SECRET_MODE: Final = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedArguments:
    """The parsed arguments of `file.managed`; fields have the names of the arguments.

    Args:
        sources: where the content comes from; empty if it does not come from a source.
        replace: whether existing content is replaced; False if no content is given.
        raw: content as bytes that are written unchanged; None if it comes from elsewhere.
    """

    sources: Sequence[ContentSource]
    hash_name: str | None
    skip_verify: bool
    contents: Data
    contents_pillar: Data
    contents_grains: Data
    contents_newline: bool
    contents_delimiter: str
    allow_empty: bool
    template: ContentTemplate | None
    attributes: RequestedAttributes
    keep_mode: bool
    makedirs: bool
    dir_mode: int | None
    replace: bool
    create: bool
    follow_symlinks: bool
    backup: bool
    show_changes: bool
    new_file_diff: bool
    check_cmd: str | None
    tmp_dir: str
    tmp_ext: str
    encoding: str | None
    encoding_errors: str
    raw: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Desired:
    """The requested content, owner and mode.

    Args:
        content: the content; None if the user gave none.
        attributes: owner and mode; with `mode: keep` the mode of the source.
        from_source: whether the content came from a source.
        is_secret: whether the content as a whole is a secret of pillar.
        warnings: warnings about arguments that its template does not read.
    """

    content: Content | None
    attributes: RequestedAttributes
    from_source: bool = False
    is_secret: bool = False
    warnings: tuple[str, ...] = ()


class WantedContent:
    """Finds the requested content of one file.

    Args:
        path: the file's path on the target.
        wish: the parsed arguments.
    """

    def __init__(self, ctx: StateContext, path: str, wish: ManagedArguments) -> None:
        self._ctx = ctx
        self._path = path
        self._wish = wish

    async def is_there(self) -> bool:
        """Return whether the file already has the checksum of its remote source, which saves a fetch."""
        wish = self._wish
        if len(wish.sources) != 1 or wish.template or wish.skip_verify:
            return False
        source = wish.sources[0]
        if not source.is_remote or not source.hash_text:
            return False
        expected = await hash_of(self._ctx, source, name=self._path, hash_name=wish.hash_name)
        return await self._ctx.connection.checksum(self._path, expected.kind) == expected.digest

    async def desired(self) -> Desired:
        """Return the requested content.

        Raises:
            StateFailedError: the source, pillar or grain does not exist, or the template fails.
        """
        wish = self._wish
        warnings: tuple[str, ...] = ()
        if wish.sources:
            source, content = await open_first(
                self._ctx,
                wish.sources,
                name=self._path,
                hash_name=wish.hash_name,
                skip_verify=wish.skip_verify,
            )
            if wish.template:
                about = self._about(source)
                text = await whole_of(source, content)
                content = await wish.template.render(self._ctx, text, source.location, about=about)
                unread = wish.template.further
                warnings = unread_variables("file.managed", unread, text.decode()) if unread else ()
            attributes = self._kept(source) if wish.keep_mode else wish.attributes
            return Desired(content=content, attributes=attributes, from_source=True, warnings=warnings)
        if wish.raw is not None:
            return Desired(content=wish.raw, attributes=wish.attributes)
        return await self._given()

    async def _given(self) -> Desired:
        wish = self._wish
        is_secret = False
        value, what, template = wish.contents, "'contents'", wish.template
        if wish.contents_pillar is not None:
            value = await looked_up(self._ctx, "pillar.get", wish.contents_pillar, wish.contents_delimiter)
            what = f"contents_pillar {wish.contents_pillar!s}"
            is_secret = _is_secret(wish.contents_pillar, wish.contents_delimiter, value)
        elif wish.contents_grains is not None:
            value = await looked_up(self._ctx, "grains.get", wish.contents_grains, wish.contents_delimiter)
            what = f"contents_grains {wish.contents_grains!s}"
            # A grain comes from the target, so it is data. Pillar may be a template that its author wrote.
            template = None
        elif value is None:
            return Desired(content=None, attributes=wish.attributes)
        if not wish.allow_empty and not value:
            raise StateFailedError(
                f"{what} value would result in empty contents. Set allow_empty "
                "to True to allow the managed file to be empty."
            )
        content = encoded(
            value, newline=wish.contents_newline, encoding=wish.encoding, errors=wish.encoding_errors
        )
        if template:
            content = await template.render(self._ctx, content, self._path)
        attributes = wish.attributes
        if is_secret and attributes.mode is None:
            attributes = replace(attributes, mode=_SECRET_MODE)
        return Desired(content=content, attributes=attributes, is_secret=is_secret)

    def _about(self, source: ContentSource) -> dict[str, str | int | None]:
        """Return Salt's variables that describe the file to its template."""
        requested = self._wish.attributes
        mode = None if requested.mode is None else shown_mode(requested.mode)
        return {
            "name": self._path,
            "source": source.location,
            "user": requested.user,
            "group": requested.group,
            "mode": mode,
            "attrs": None,
        }

    def _kept(self, source: ContentSource) -> RequestedAttributes:
        local = self._ctx.files.local_path(source.location)
        mode = local.stat().st_mode & 0o777 if local is not None else None
        requested = self._wish.attributes
        return RequestedAttributes(mode=mode, user=requested.user, group=requested.group)


def _is_secret(keys: Any, delimiter: str, value: Data) -> bool:
    """Return whether a value of pillar is a secret by a key on the way to it, or is a private key."""
    paths: list[Any] = [*keys] if isinstance(keys, list) else [keys]
    names = [name for path in paths for name in str(path).split(delimiter or ":")]
    return any(map(is_secret_key, names)) or is_private_key(value)
