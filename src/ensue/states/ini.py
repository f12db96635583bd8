"""State module `ini`: options and sections of INI files.

Source: Salt's state module `ini`, 3008: results, changes and texts. In a plan changes are said, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ensue.errors import StateFailedError
from ensue.model.data import is_list, is_mapping
from ensue.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.contracts.context import StateContext
    from ensue.model.data import DataMap

_Place: TypeAlias = "tuple[str | None, str | None]"
"""A section, an option of it, or an option before all sections."""

_UNCHANGED: Final = "No anomaly detected"
_CHANGED: Final = "Changes take effect"


async def options_present(  # noqa: PLR0917 (Salt's order)
    ctx: StateContext,
    name: str,
    sections: Any = None,
    separator: str = "=",
    strict: bool = False,
    encoding: str | None = None,
    no_spaces: bool = False,
) -> StateReturn:
    """Have options hold values.

    Args:
        ctx: the state's context.
        name: the file, an absolute path; one that is not there is made.
        sections: by section the values by option; a value that is no mapping is that of an option before
            all sections.
        separator: what stands between an option and its value.
        strict: remove all other options and sections.
        encoding: the file's; UTF-8 if it is not said.
        no_spaces: write no blanks around the separator.

    Returns:
        `changes` have `{section: {option: {before, after}}}`; `new_state` has `path` and `sections`.

    Raises:
        StateFailedError: `sections` is no mapping.
    """
    wanted = _mapping(sections)
    how = {"separator": separator, "encoding": encoding}
    before = await _options(ctx, name, how)
    changes = _set_changes(before, wanted)
    doomed = _not_wanted(before, wanted) if strict else []
    for section, option in doomed:
        _note_removal(changes, before, section, option)
    if not changes:
        comment = _remarks(before, wanted) if ctx.test else _UNCHANGED
        return StateReturn(name=name, result=True, comment=comment, new_state=_state(name, before))
    if ctx.test:
        comment = _remarks(before, wanted) + "".join(_removal_remark(*each) for each in doomed)
        return StateReturn(name=name, result=None, changes=changes, comment=comment)
    for section, option in doomed:
        if option is None:
            await ctx.call("ini.remove_section", name, section, no_spaces=no_spaces, **how)
        else:
            await ctx.call("ini.remove_option", name, section, option, no_spaces=no_spaces, **how)
    await ctx.call("ini.set_option", name, wanted, no_spaces=no_spaces, **how)
    return await _changed(ctx, name, before, changes, how)


async def options_absent(
    ctx: StateContext, name: str, sections: Any = None, separator: str = "=", encoding: str | None = None
) -> StateReturn:
    """Have options not be there.

    Args:
        ctx: the state's context.
        name: the file, an absolute path.
        sections: by section a list of options; an option before all sections has no list.
        separator: what stands between an option and its value.
        encoding: the file's; UTF-8 if it is not said.

    Returns:
        `changes` have the values by section and option; `new_state` has `path` and `sections`.

    Raises:
        StateFailedError: `sections` is no mapping.
    """
    how = {"separator": separator, "encoding": encoding}
    before = await _options(ctx, name, how)
    changes: DataMap = {}
    remarks: list[str] = []
    doomed: list[tuple[str | None, str]] = []
    for section, options in _mapping(sections).items():
        inside = is_list(options) or is_mapping(options)
        there = before.get(section) if inside else before
        held: DataMap = there if is_mapping(there) else {}
        listed = [str(option) for option in options] if inside else [section]
        where = f" in section {section}" if inside else ""
        found = {option: held[option] for option in listed if isinstance(held.get(option), str)}
        remarks += [
            f"Deleted key {option}{where}.\n" if option in found else f"Key {option}{where} does not exist.\n"
            for option in listed
        ]
        doomed += [(section if inside else None, option) for option in found]
        if found:
            changes |= {section: found} if inside else found
    if ctx.test or not changes:
        comment = ("".join(remarks) or "No changes detected.") if ctx.test else _UNCHANGED
        return StateReturn(
            name=name,
            result=None if changes else True,
            changes=changes,
            comment=comment,
            new_state=None if changes else _state(name, before),
        )
    for place, option in doomed:
        await ctx.call("ini.remove_option", name, place, option, **how)
    return await _changed(ctx, name, before, changes, how)


async def sections_present(
    ctx: StateContext, name: str, sections: Any = None, separator: str = "=", encoding: str | None = None
) -> StateReturn:
    """Have sections be there, with or without options.

    Args:
        ctx: the state's context.
        name: the file, an absolute path; one that is not there is made.
        sections: their names, a list or the keys of a mapping.
        separator: what stands between an option and its value.
        encoding: the file's; UTF-8 if it is not said.

    Returns:
        `changes` have each new section, with `before` and `after`; `new_state` has `path` and `sections`.
    """
    how = {"separator": separator, "encoding": encoding}
    before = await _options(ctx, name, how)
    wanted = _names(sections)
    missing = [section for section in wanted if not is_mapping(before.get(section))]
    changes: DataMap = {section: {"before": None, "after": {}} for section in missing}
    if ctx.test or not missing:
        said = [
            f"Created new section {section}.\n" if section in missing else f"Section unchanged {section}.\n"
            for section in wanted
        ]
        comment = ("".join(said) or "No changes detected.") if ctx.test else _UNCHANGED
        return StateReturn(
            name=name,
            result=None if missing else True,
            changes=changes,
            comment=comment,
            new_state=None if missing else _state(name, before),
        )
    await ctx.call("ini.set_option", name, {section: {} for section in missing}, **how)
    return await _changed(ctx, name, before, changes, how)


async def sections_absent(
    ctx: StateContext, name: str, sections: Any = None, separator: str = "=", encoding: str | None = None
) -> StateReturn:
    """Have sections not be there, nor what is in them.

    Args:
        ctx: the state's context.
        name: the file, an absolute path.
        sections: their names, a list or the keys of a mapping.
        separator: what stands between an option and its value.
        encoding: the file's; UTF-8 if it is not said.

    Returns:
        `changes` have the options of each section that went; `new_state` has `path` and `sections`.
    """
    how = {"separator": separator, "encoding": encoding}
    before = await _options(ctx, name, how)
    wanted = _names(sections)
    changes: DataMap = {section: before[section] for section in wanted if is_mapping(before.get(section))}
    if ctx.test or not changes:
        said = [
            f"Deleted section {section}.\n" if section in changes else f"Section {section} does not exist.\n"
            for section in wanted
        ]
        comment = ("".join(said) or "No changes detected.") if ctx.test else _UNCHANGED
        return StateReturn(
            name=name,
            result=None if changes else True,
            changes=changes,
            comment=comment,
            new_state=None if changes else _state(name, before),
        )
    for section in changes:
        await ctx.call("ini.remove_section", name, section, **how)
    return await _changed(ctx, name, before, changes, how)


async def _options(ctx: StateContext, path: str, how: Mapping[str, Any]) -> DataMap:
    if not path.startswith("/"):
        raise StateFailedError(f"Specified file {path} is not an absolute path")
    found: DataMap = await ctx.call("ini.get_ini", path, **how)
    return found


async def _changed(
    ctx: StateContext, name: str, before: DataMap, changes: DataMap, how: Mapping[str, Any]
) -> StateReturn:
    return StateReturn(
        name=name,
        result=True,
        changes=changes,
        comment=_CHANGED,
        new_state=_state(name, await _options(ctx, name, how)),
        old_state=_state(name, before),
    )


def _set_changes(before: DataMap, wanted: Mapping[str, Any]) -> DataMap:
    """Return what setting options changes."""
    changes: DataMap = {}
    for section, body in wanted.items():
        held = before.get(section)
        if not is_mapping(body):
            if held != str(body):
                changes[section] = {"before": held, "after": str(body)}
            continue
        if not is_mapping(held):
            changes[section] = {"before": None, "after": {str(key): str(one) for key, one in body.items()}}
            continue
        changed: DataMap = {
            str(option): {"before": held.get(str(option)), "after": str(value)}
            for option, value in body.items()
            if held.get(str(option)) != str(value)
        }
        if changed:
            changes[section] = changed
    return changes


def _not_wanted(before: DataMap, wanted: Mapping[str, Any]) -> list[_Place]:
    """Return what is there and not wanted."""
    doomed: list[_Place] = []
    for name, held in before.items():
        given = wanted.get(name)
        if not is_mapping(held):
            doomed += [(None, name)] if name not in wanted or is_mapping(given) else []
        elif not is_mapping(given):
            doomed.append((name, None))
        else:
            kept = {str(option) for option in given}
            doomed += [(name, option) for option in held if option not in kept]
    return doomed


def _note_removal(changes: DataMap, before: DataMap, section: str | None, option: str | None) -> None:
    """Put into the changes that something goes."""
    held = before.get(section) if section is not None else before
    if option is None or not is_mapping(held):
        changes[str(section)] = {"before": held, "after": None}
        return
    inner = changes.setdefault(section, {}) if section is not None else changes
    if is_mapping(inner):
        inner[option] = {"before": held[option], "after": None}


def _remarks(before: DataMap, wanted: Mapping[str, Any]) -> str:
    """Return a plan's line on each option that is wanted."""
    lines: list[str] = []
    for section, body in sorted(wanted.items(), key=lambda item: is_mapping(item[1])):
        found = before.get(section)
        held: DataMap = found if is_mapping(found) else {}
        asked = (
            [
                (option, held.get(str(option)), value, f" in section {section}")
                for option, value in body.items()
            ]
            if is_mapping(body)
            else [(section, found, body, "")]
        )
        lines += [
            f"{'Unchanged' if is_ == str(value) else 'Changed'} key {option}{where}.\n"
            for option, is_, value, where in asked
        ]
    return "".join(lines)


def _removal_remark(section: str | None, option: str | None) -> str:
    """Return a plan's line on a thing that `strict` removes."""
    if option is None:
        return f"Removed section {section}.\n"
    return f"Removed key {option}.\n" if section is None else f"Deleted key {option} in section {section}.\n"


def _state(path: str, options: DataMap) -> DataMap:
    """Describe a file by its sections; what their options hold may be secret, as any file's content."""
    return {"path": path, "sections": [name for name, held in options.items() if is_mapping(held)]}


def _mapping(sections: Any) -> dict[str, Any]:
    if sections is None:
        return {}
    if not is_mapping(sections):
        raise StateFailedError("sections: it takes a mapping of sections")
    return {str(name): body for name, body in sections.items()}


def _names(sections: Any) -> list[str]:
    if sections is None:
        return []
    if not is_list(sections) and not is_mapping(sections):
        raise StateFailedError("sections: it takes a list of names")
    return [str(name) for name in sections]


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "options_absent": options_absent,
    "options_present": options_present,
    "sections_absent": sections_absent,
    "sections_present": sections_present,
}
