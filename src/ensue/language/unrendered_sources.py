"""Warns of a source whose name says that it is a template, in a state that renders none.

The name decides, never the content: a file may have `{{` for a program that reads it. Nothing is reported
if the file that the state manages has the same ending, since then the template itself is what is installed.

Source: Salt installs such a source as it is, without a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector

_RENDERERS: Final = {".j2": "jinja", ".jinja": "jinja", ".jinja2": "jinja", ".mako": "mako"}
_OF_FILES: Final = frozenset({("file", "managed"), ("file", "patch")})
_OF_SCRIPTS: Final = frozenset({("cmd", "script"), ("cmd", "wait_script")})


def warn_of_unrendered_sources(drafts: Iterable[Draft], collector: Collector) -> None:
    """Warn of each state that installs a template, or runs one, as it is.

    Args:
        drafts: the states with a `source`, and those whose name may be one.
        collector: collects the warnings.
    """
    for draft in drafts:
        declaration = draft.declaration
        function = (declaration.module, declaration.function)
        if (function not in _OF_FILES and function not in _OF_SCRIPTS) or draft.arguments.get("template"):
            continue
        for source in _sources(draft):
            ending = _ending(source)
            if not ending or (function in _OF_FILES and draft.name.endswith(ending)):
                continue
            collector.warning(
                "E0884",
                f"{source!r}, the source of {declaration.id!r}, has the name of a template "
                "and is not rendered",
                declaration.span("source") if "source" in declaration.arguments else declaration.span(),
                detail="the state has no `template`, so the text of the template is used as it is",
                help=f"add `- template: {_RENDERERS[ending]}`",
            )
            break


def _sources(draft: Draft) -> Iterator[str]:
    listed = draft.arguments.get("source") or draft.name
    for entry in listed if is_list(listed) else [listed]:
        source = next(iter(entry), "") if is_mapping(entry) else entry
        if isinstance(source, str):
            yield source.partition("?")[0]


def _ending(source: str) -> str:
    return next((ending for ending in _RENDERERS if source.endswith(ending)), "")
