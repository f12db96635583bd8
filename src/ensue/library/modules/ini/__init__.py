"""Execution module `ini`: options and sections of INI files of the target.

A file is written only if something in it changes, and then as a whole in one format; see `text`.

Args:
    separator: the separator between an option and its value.
    encoding: the encoding of the file, UTF-8 by default.
    no_spaces: write the whole file without blanks around the separator.
    file_name: an absolute path; a missing file has no options.
    section: its section; None or an empty text for options before all sections.

Source: Salt's execution module `ini`, 3008: names, arguments and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.masking import mode_with_secret
from ensue.core.model.data import is_mapping
from ensue.library.modules.ini.text import TOP, IniText

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def get_ini(
    ctx: FunctionContext, file_name: str, separator: str = "=", encoding: str | None = None
) -> DataMap:
    """Return all options: those in sections as a mapping per section, the others at the top level.

    Example:
        ensue call '*' ini.get_ini /etc/app.ini

    Raises:
        StateFailedError: the file does not have this encoding.
    """
    return _as_data(await _read(ctx, file_name, separator, encoding))


async def get_section(
    ctx: FunctionContext, file_name: str, section: str, separator: str = "=", encoding: str | None = None
) -> DataMap:
    """Return the options of a section, an empty mapping if it does not exist; see `get_ini`.

    Example:
        ensue call '*' ini.get_section /etc/app.ini server
    """
    options = (await get_ini(ctx, file_name, separator, encoding)).get(section)
    return options if is_mapping(options) else {}


async def get_option(
    ctx: FunctionContext,
    file_name: str,
    section: str | None,
    option: str,
    separator: str = "=",
    encoding: str | None = None,
) -> str | None:
    """Return the value of an option, None if it does not exist; see `get_ini`.

    Args:
        option: its name.

    Example:
        ensue call '*' ini.get_option /etc/app.ini server port
    """
    text = await _read(ctx, file_name, separator, encoding)
    return text.sections().get(section or TOP, {}).get(option)


async def set_option(
    ctx: FunctionContext,
    file_name: str,
    sections: Mapping[str, Any] | None = None,
    separator: str = "=",
    encoding: str | None = None,
    no_spaces: bool = False,
) -> DataMap:
    """Set options.

    Args:
        file_name: an absolute path; a missing file is created.
        sections: for each section a mapping of values by option; any other value belongs to an option
            before all sections.

    Example:
        ensue call '*' ini.set_option /etc/app.ini

    Returns:
        The changes, as `{section: {option: {before, after}}}`; for a new section `before` and `after`.

    Raises:
        StateFailedError: a section is within another one, or the file does not have this encoding.
    """
    text = await _read(ctx, file_name, separator, encoding)
    before = text.sections()
    changes: DataMap = {}
    for name, given in (sections or {}).items():
        if not is_mapping(given):
            changes |= _changes(before[TOP], {name: str(given)})
            text.put(TOP, {name: str(given)})
            continue
        options = _texts(name, given)
        text.put(name, options)
        if name not in before:
            changes[name] = {"before": None, "after": {**options}}
        elif changed := _changes(before[name], options):
            changes[name] = changed
    if changes:
        await _write(ctx, file_name, text, encoding, no_spaces=no_spaces)
    return changes


async def remove_option(
    ctx: FunctionContext,
    file_name: str,
    section: str | None,
    option: str,
    separator: str = "=",
    encoding: str | None = None,
    no_spaces: bool = False,
) -> str | None:
    """Remove an option.

    Args:
        file_name: an absolute path.
        option: its name.

    Example:
        ensue call '*' ini.remove_option /etc/app.ini server port

    Returns:
        Its value, None if it did not exist.
    """
    text = await _read(ctx, file_name, separator, encoding)
    there = text.sections()
    name = section if section in there else TOP
    value = there[name or TOP].get(option)
    if value is not None:
        text.drop(name or TOP, option)
        await _write(ctx, file_name, text, encoding, no_spaces=no_spaces)
    return value


async def remove_section(
    ctx: FunctionContext,
    file_name: str,
    section: str,
    separator: str = "=",
    encoding: str | None = None,
    no_spaces: bool = False,
) -> DataMap | None:
    """Remove a section with its options and comments; see `remove_option`.

    Args:
        file_name: an absolute path.
        section: the section.

    Example:
        ensue call '*' ini.remove_section /etc/app.ini server

    Returns:
        Its options, None if it did not exist.
    """
    text = await _read(ctx, file_name, separator, encoding)
    options = text.sections().get(section)
    if options is None or section == TOP:
        return None
    text.drop_section(section)
    await _write(ctx, file_name, text, encoding, no_spaces=no_spaces)
    return {**options}


async def _read(ctx: FunctionContext, path: str, separator: str, encoding: str | None) -> IniText:
    if not separator:
        raise StateFailedError("separator: there must be one between an option and its value")
    if await ctx.connection.stat(path, follow=True) is None:
        return IniText("", separator)
    content = await ctx.connection.read(path)
    try:
        return IniText(content.decode(encoding or "utf-8"), separator)
    except (UnicodeError, LookupError) as error:
        raise StateFailedError(f"{path}: {error}") from None


async def _write(
    ctx: FunctionContext, path: str, text: IniText, encoding: str | None, *, no_spaces: bool
) -> None:
    try:
        content = text.written(no_spaces=no_spaces).encode(encoding or "utf-8")
    except UnicodeError as error:
        raise StateFailedError(f"{path}: {error}") from None
    is_new = await ctx.connection.stat(path, follow=True) is None
    mode = mode_with_secret(ctx.masker, content) if is_new else None
    await ctx.connection.write(path, content, mode=mode)


def _as_data(text: IniText) -> DataMap:
    sections = text.sections()
    return {**sections.pop(TOP), **{name: {**options} for name, options in sections.items()}}


def _texts(section: str, options: Mapping[Any, Any]) -> dict[str, str]:
    """Return values as texts.

    Raises:
        StateFailedError: a value is a section within a section.
    """
    nested = [str(option) for option, value in options.items() if is_mapping(value)]
    if nested:
        raise StateFailedError(
            f"{nested[0]} in the section {section} is a mapping: sections cannot contain sections"
        )
    return {str(option): str(value) for option, value in options.items()}


def _changes(before: Mapping[str, str], requested: Mapping[str, str]) -> DataMap:
    return {
        option: {"before": before.get(option), "after": value}
        for option, value in requested.items()
        if before.get(option) != value
    }


FUNCTIONS: Final = by_name(get_ini, get_option, get_section, remove_option, remove_section, set_option)
