"""What one managed file is to hold: given in the state, looked up, or fetched from a source and rendered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.model.secret_values import is_private_key, is_secret_key
from ensue.states.file.attributes import Attributes
from ensue.states.file.contents import encoded, looked_up
from ensue.states.file.modes import shown_mode
from ensue.states.file.sources import hash_of, open_first, whole_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.contracts.content import Content
    from ensue.contracts.context import StateContext
    from ensue.model.data import Data
    from ensue.states.file.sources import Source, Template


_SECRET_MODE: Final = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What `file.managed` was asked for; each field is the argument of that name, read.

    Args:
        sources: where the content comes from; empty when it does not come from a source.
        replace: whether content that is there is replaced; False when there is none to put there.
        raw: the content as bytes that are written as they are; None when it is elsewhere.
    """

    sources: Sequence[Source]
    hash_name: str | None
    skip_verify: bool
    contents: Data
    contents_pillar: Data
    contents_grains: Data
    contents_newline: bool
    contents_delimiter: str
    allow_empty: bool
    template: Template | None
    attributes: Attributes
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
    """The content, and what came with it.

    Args:
        content: what it is; None when the user gave none.
        attributes: owner and mode, the source's mode among it when that is kept.
        from_source: whether it came from a source.
        is_secret: whether it is a secret of pillar as a whole.
    """

    content: Content | None
    attributes: Attributes
    from_source: bool = False
    is_secret: bool = False


class WantedContent:
    """The content that one file is to have.

    Args:
        ctx: the state's context.
        path: the file's path on the target.
        wish: what was asked for.
    """

    def __init__(self, ctx: StateContext, path: str, wish: Wish) -> None:
        self._ctx = ctx
        self._path = path
        self._wish = wish

    async def is_there(self) -> bool:
        """Say whether a file from elsewhere is there already, so that it need not be fetched."""
        wish = self._wish
        if len(wish.sources) != 1 or wish.template or wish.skip_verify:
            return False
        source = wish.sources[0]
        if not source.is_remote or not source.hash_text:
            return False
        expected = await hash_of(self._ctx, source, name=self._path, hash_name=wish.hash_name)
        return await self._ctx.connection.checksum(self._path, expected.kind) == expected.digest

    async def desired(self) -> Desired:
        """Return what the file is to hold.

        Raises:
            StateFailedError: there is no such source, pillar or grain, or the template fails.
        """
        wish = self._wish
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
            attributes = self._kept(source) if wish.keep_mode else wish.attributes
            return Desired(content=content, attributes=attributes, from_source=True)
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
            # Unlike pillar, which its author may have written as a template, a grain is what the target says.
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

    def _about(self, source: Source) -> dict[str, str | int | None]:
        """Return what a template finds of its file, under Salt's names."""
        wanted = self._wish.attributes
        mode = None if wanted.mode is None else shown_mode(wanted.mode)
        return {
            "name": self._path,
            "source": source.location,
            "user": wanted.user,
            "group": wanted.group,
            "mode": mode,
            "attrs": None,
        }

    def _kept(self, source: Source) -> Attributes:
        local = self._ctx.files.local_path(source.location)
        mode = local.stat().st_mode & 0o777 if local is not None else None
        wanted = self._wish.attributes
        return Attributes(mode=mode, user=wanted.user, group=wanted.group)


def _is_secret(keys: Any, delimiter: str, value: Data) -> bool:
    """Say whether a value of pillar is a secret by a key on the way to it, or is a private key."""
    paths: list[Any] = [*keys] if isinstance(keys, list) else [keys]
    names = [name for path in paths for name in str(path).split(delimiter or ":")]
    return any(map(is_secret_key, names)) or is_private_key(value)
