"""Execution module `locale`: the locales of the target, and the one that it uses.

It writes the same file as localectl, so it works without systemd, too.

Args:
    locale: its name (`de_AT.UTF-8`, or with its character map `de_AT.UTF-8 UTF-8`).

Source: Salt's execution module `locale` (localemod), 3008: names and return values; locale.conf(5),
locale.gen(5).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._programs import ask, must
from ensue.library.modules._text_files import text_of, with_line, write_text

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_FILES: Final = {"Debian": "/etc/default/locale"}
_FILE: Final = "/etc/locale.conf"
_GEN: Final = "/etc/locale.gen"
_SUPPORTED: Final = "/usr/share/i18n/SUPPORTED"
_LANG: Final = re.compile(r'LANG=["\']?(?P<name>[^"\'\s]*)')


class _Locale(msgspec.Struct, kw_only=True, frozen=True):
    language: str
    territory: str = ""
    codeset: str = ""
    modifier: str = ""
    charmap: str = ""

    def text(self) -> str:
        parts = (("_", self.territory), (".", self.codeset), ("@", self.modifier), (" ", self.charmap))
        return self.language + "".join(mark + part for mark, part in parts if part)

    def normal(self) -> str:
        codeset = self.codeset.lower().replace("-", "")
        return msgspec.structs.replace(
            self, territory=self.territory.upper(), codeset=codeset, charmap=""
        ).text()


async def list_avail(ctx: FunctionContext) -> list[str]:
    """Return the target's locales, as named by `locale -a`."""
    return (await must(ctx, "locale", "-a", what="list the locales")).stdout.split()


async def avail(ctx: FunctionContext, locale: str) -> bool:
    """Return whether the target has a locale; case and hyphens in its code set are ignored.

    Example:
        ensue call '*' locale.avail de_AT.UTF-8
    """
    normal_name = _read(locale).normal()
    return any(_read(each).normal() == normal_name for each in await list_avail(ctx))


async def get_locale(ctx: FunctionContext) -> str:
    """Return the locale that the target uses, empty if none is set."""
    text = await text_of(ctx, await _path(ctx)) or ""
    names = [match["name"] for line in file_lines(text) if (match := _LANG.match(line))]
    return names[-1] if names else ""


async def set_locale(ctx: FunctionContext, locale: str) -> bool:
    """Set the target's locale; open sessions keep theirs.

    Example:
        ensue call '*' locale.set_locale de_AT.UTF-8
    """
    path = await _path(ctx)
    line = f'LANG="{locale}"' if path != _FILE else f"LANG={locale}"
    await write_text(ctx, path, with_line(await text_of(ctx, path) or "", "LANG=", line))
    return True


async def gen_locale(ctx: FunctionContext, locale: str, **kwargs: Any) -> bool:
    """Generate a locale.

    Args:
        **kwargs: accepted as by Salt, without effect.

    Example:
        ensue call '*' locale.gen_locale de_AT.UTF-8

    Raises:
        StateFailedError: there is no such locale, or it cannot be generated.
    """
    parts = _read(locale)
    full = parts if parts.charmap else msgspec.structs.replace(parts, charmap=parts.codeset)
    supported = await text_of(ctx, _SUPPORTED)
    if supported is not None and full.text() not in file_lines(supported):
        raise StateFailedError(f"The provided locale '{full.text()}' is not found in {_SUPPORTED}")
    text = await text_of(ctx, _GEN)
    if text is not None:
        pattern = rf"\s*#?\s*{re.escape(full.text())}\s*$"
        await write_text(ctx, _GEN, with_line(text, pattern, full.text()))
    what = f"generate the locale {locale}"
    if text is not None and not (done := await ask(ctx, "locale-gen")).is_missing:
        if not done.is_success:
            raise StateFailedError(f"cannot {what} on {ctx.srn}: {done.complaint()}")
        return True
    source = msgspec.structs.replace(parts, codeset="", charmap="").text()
    name = msgspec.structs.replace(parts, charmap="").text()
    charmap = full.charmap or "UTF-8"
    await must(ctx, "localedef", "--force", "--quiet", "-i", source, "-f", charmap, name, what=what)
    return True


async def _path(ctx: FunctionContext) -> str:
    return _FILES.get(str((await ctx.grains()).get("os_family")), _FILE)


def _read(name: str) -> _Locale:
    rest, _, charmap = name.strip().partition(" ")
    rest, _, modifier = rest.partition("@")
    rest, _, codeset = rest.partition(".")
    language, _, territory = rest.partition("_")
    return _Locale(
        language=language, territory=territory, codeset=codeset, modifier=modifier, charmap=charmap.strip()
    )


FUNCTIONS: Final = by_name(avail, gen_locale, get_locale, list_avail, set_locale)
