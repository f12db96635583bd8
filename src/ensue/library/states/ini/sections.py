"""`ini.sections_present` and `ini.sections_absent`: sections of an INI file.

Source: Salt's state module `ini`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import edits_part, reads_paths
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.needs import in_folder
from ensue.library.states.ini.ini_file import UNCHANGED, changed_file, ini_state, options_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@edits_part
@reads_paths("name")
async def sections_present(
    ctx: StateContext, name: str, sections: Any = None, separator: str = "=", encoding: str | None = None
) -> StateReturn:
    """Add sections to an INI file.

    Args:
        name: absolute path of the file, which is created if it does not exist.
        sections: their names, a list or the keys of a mapping.

    Example:
        /etc/app.ini:
          ini.sections_present:
            - sections: [server]

    Returns:
        `changes` has each new section, with `before` and `after`; `new_state` has `path` and `sections`.
    """
    how = {"separator": separator, "encoding": encoding}
    before = await options_of(ctx, name, how)
    requested = _names(sections)
    missing = [section for section in requested if not is_mapping(before.get(section))]
    changes: DataMap = {section: {"before": None, "after": {}} for section in missing}
    if ctx.test or not missing:
        texts = [
            f"Created new section {section}.\n" if section in missing else f"Section unchanged {section}.\n"
            for section in requested
        ]
        return await _unwritten(ctx, name, before, changes, "".join(texts))
    await ctx.call("ini.set_option", name, {section: {} for section in missing}, **how)
    return await changed_file(ctx, name, before, changes, how)


@edits_part
@reads_paths("name")
async def sections_absent(
    ctx: StateContext, name: str, sections: Any = None, separator: str = "=", encoding: str | None = None
) -> StateReturn:
    """Remove sections from an INI file, with their options.

    Args:
        name: absolute path of the file.
        sections: their names, a list or the keys of a mapping.

    Example:
        /etc/app.ini:
          ini.sections_absent:
            - sections: [legacy]

    Returns:
        `changes` has the options of each removed section; `new_state` has `path` and `sections`.
    """
    how = {"separator": separator, "encoding": encoding}
    before = await options_of(ctx, name, how)
    requested = _names(sections)
    changes: DataMap = {section: before[section] for section in requested if is_mapping(before.get(section))}
    if ctx.test or not changes:
        texts = [
            f"Deleted section {section}.\n" if section in changes else f"Section {section} does not exist.\n"
            for section in requested
        ]
        return await _unwritten(ctx, name, before, changes, "".join(texts))
    for section in changes:
        await ctx.call("ini.remove_section", name, section, **how)
    return await changed_file(ctx, name, before, changes, how)


async def _unwritten(
    ctx: StateContext, name: str, before: DataMap, changes: DataMap, texts: str
) -> StateReturn:
    """Make the return of a plan, or of a run without changes."""
    comment = (texts or "No changes detected.") if ctx.test else UNCHANGED
    if changes:
        planned = StateReturn.planned(name, comment, changes)
        return await in_folder(ctx.connection, name, planned, makedirs=False)
    return StateReturn.unchanged(name, comment, ini_state(name, before))


def _names(sections: Any) -> list[str]:
    if sections is None:
        return []
    if not is_list(sections) and not is_mapping(sections):
        raise StateFailedError("sections: must be a list of names")
    return [str(name) for name in sections]
