"""`ini.options_present` and `ini.options_absent`: options of an INI file.

Source: Salt's state module `ini`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ensue.core.contracts.functions import edits_part, reads_paths
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.needs import in_folder
from ensue.library.states.ini.ini_file import UNCHANGED, changed_file, ini_state, options_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_Place: TypeAlias = "tuple[str | None, str | None]"
"""Section and option; None for an option outside sections, or for a whole section."""


@edits_part
@reads_paths("name")
async def options_present(
    ctx: StateContext,
    name: str,
    sections: Any = None,
    separator: str = "=",
    strict: bool = False,
    encoding: str | None = None,
    no_spaces: bool = False,
) -> StateReturn:
    """Set options of an INI file.

    Args:
        name: absolute path of the file, which is created if it does not exist.
        sections: values by section and option. A value that is not a mapping is that of an option before the
            first section.
        strict: remove all other options and sections.
        no_spaces: write no blanks around the separator.

    Example:
        /etc/app.ini:
          ini.options_present:
            - sections: {server: {port: 8080}}

    Returns:
        `changes` has `{section: {option: {before, after}}}`; `new_state` has `path` and `sections`.

    Raises:
        StateFailedError: `sections` is not a mapping.
    """
    requested = _mapping(sections)
    how = {"separator": separator, "encoding": encoding}
    before = await options_of(ctx, name, how)
    changes = _set_changes(before, requested)
    doomed = _not_wanted(before, requested) if strict else []
    for section, option in doomed:
        _note_removal(changes, before, section, option)
    if not changes:
        comment = _remarks(before, requested) if ctx.test else UNCHANGED
        return StateReturn.unchanged(name, comment, ini_state(name, before))
    if ctx.test:
        comment = _remarks(before, requested) + "".join(_removal_remark(*each) for each in doomed)
        planned = StateReturn.planned(name, comment, changes)
        return await in_folder(ctx.connection, name, planned, makedirs=False)
    for section, option in doomed:
        if option is None:
            await ctx.call("ini.remove_section", name, section, no_spaces=no_spaces, **how)
        else:
            await ctx.call("ini.remove_option", name, section, option, no_spaces=no_spaces, **how)
    await ctx.call("ini.set_option", name, requested, no_spaces=no_spaces, **how)
    return await changed_file(ctx, name, before, changes, how)


@edits_part
@reads_paths("name")
async def options_absent(
    ctx: StateContext, name: str, sections: Any = None, separator: str = "=", encoding: str | None = None
) -> StateReturn:
    """Remove options from an INI file.

    Args:
        name: absolute path of the file.
        sections: lists of options by section; an option before the first section has no list.

    Example:
        /etc/app.ini:
          ini.options_absent:
            - sections: {server: [debug]}

    Returns:
        `changes` has the values by section and option; `new_state` has `path` and `sections`.

    Raises:
        StateFailedError: `sections` is not a mapping.
    """
    how = {"separator": separator, "encoding": encoding}
    before = await options_of(ctx, name, how)
    changes: DataMap = {}
    remarks: list[str] = []
    doomed: list[tuple[str | None, str]] = []
    for section, options in _mapping(sections).items():
        inside = is_list(options) or is_mapping(options)
        there = before.get(section) if inside else before
        values: DataMap = there if is_mapping(there) else {}
        listed = [str(option) for option in options] if inside else [section]
        where = f" in section {section}" if inside else ""
        present = {option: values[option] for option in listed if isinstance(values.get(option), str)}
        remarks += [
            f"Deleted key {option}{where}.\n"
            if option in present
            else f"Key {option}{where} does not exist.\n"
            for option in listed
        ]
        doomed += [(section if inside else None, option) for option in present]
        if present:
            changes |= {section: present} if inside else present
    if ctx.test or not changes:
        comment = ("".join(remarks) or "No changes detected.") if ctx.test else UNCHANGED
        return StateReturn(
            name=name,
            result=None if changes else True,
            changes=changes,
            comment=comment,
            new_state=None if changes else ini_state(name, before),
        )
    for place, option in doomed:
        await ctx.call("ini.remove_option", name, place, option, **how)
    return await changed_file(ctx, name, before, changes, how)


def _set_changes(before: DataMap, requested: Mapping[str, Any]) -> DataMap:
    """Return the changes that setting options makes."""
    changes: DataMap = {}
    for section, body in requested.items():
        values = before.get(section)
        if not is_mapping(body):
            if values != str(body):
                changes[section] = {"before": values, "after": str(body)}
            continue
        if not is_mapping(values):
            changes[section] = {"before": None, "after": {str(key): str(item) for key, item in body.items()}}
            continue
        changed: DataMap = {
            str(option): {"before": values.get(str(option)), "after": str(value)}
            for option, value in body.items()
            if values.get(str(option)) != str(value)
        }
        if changed:
            changes[section] = changed
    return changes


def _not_wanted(before: DataMap, requested: Mapping[str, Any]) -> list[_Place]:
    """Return the existing sections and options that are not requested."""
    doomed: list[_Place] = []
    for name, values in before.items():
        given = requested.get(name)
        if not is_mapping(values):
            doomed += [(None, name)] if name not in requested or is_mapping(given) else []
        elif not is_mapping(given):
            doomed.append((name, None))
        else:
            kept = {str(option) for option in given}
            doomed += [(name, option) for option in values if option not in kept]
    return doomed


def _note_removal(changes: DataMap, before: DataMap, section: str | None, option: str | None) -> None:
    """Add a removal to the changes."""
    values = before.get(section) if section is not None else before
    if option is None or not is_mapping(values):
        changes[str(section)] = {"before": values, "after": None}
        return
    inner = changes.setdefault(section, {}) if section is not None else changes
    if is_mapping(inner):
        inner[option] = {"before": values[option], "after": None}


def _remarks(before: DataMap, requested: Mapping[str, Any]) -> str:
    """Return the line of a plan for each requested option."""
    lines: list[str] = []
    for section, body in sorted(requested.items(), key=lambda item: is_mapping(item[1])):
        present = before.get(section)
        values: DataMap = present if is_mapping(present) else {}
        asked = (
            [
                (option, values.get(str(option)), value, f" in section {section}")
                for option, value in body.items()
            ]
            if is_mapping(body)
            else [(section, present, body, "")]
        )
        lines += [
            f"{'Unchanged' if is_ == str(value) else 'Changed'} key {option}{where}.\n"
            for option, is_, value, where in asked
        ]
    return "".join(lines)


def _removal_remark(section: str | None, option: str | None) -> str:
    """Return the line of a plan for a section or option that `strict` removes."""
    if option is None:
        return f"Removed section {section}.\n"
    return f"Removed key {option}.\n" if section is None else f"Deleted key {option} in section {section}.\n"


def _mapping(sections: Any) -> dict[str, Any]:
    if sections is None:
        return {}
    if not is_mapping(sections):
        raise StateFailedError("sections: must be a mapping of sections")
    return {str(name): body for name, body in sections.items()}
