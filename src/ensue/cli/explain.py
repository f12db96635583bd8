"""`ensue explain`: what a diagnostic's code means.

The explanations are the page docs/diagnostics.md; the wheel carries a copy of it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from ensue.cli import exit_codes
from ensue.cli.command import ExampleCommand

if TYPE_CHECKING:
    from collections.abc import Container

EXAMPLES = (
    ("ensue explain E0301", "what the code means and how to fix the error"),
    ("ensue explain 301", "the same"),
    ("ensue explain file.managed", "the same as ensue doc file.managed"),
    ("ensue explain", "all codes"),
)

_CODE_DIGITS: Final = 4
_CODE: Final = re.compile(r"[A-Za-z]?\d+")

_SECTION: Final = re.compile(
    r"^### (?P<code>[EW]\d{4}): (?P<title>.+)\n(?P<body>(?:(?!#{2,3} ).*\n?)*)", re.MULTILINE
)

_LINK: Final = re.compile(r"\[(?P<words>[^\]]*)\]\((?P<page>[\w.-]+\.md)?(?:#[^)]*)?\)")
"""A link to a page or a section of the documentation; its words may be broken over two lines."""


@click.command("explain", cls=ExampleCommand, examples=EXAMPLES)
@click.argument("code", required=False)
def command(code: str | None) -> int:
    """Explain the code of a diagnostic, or a function.

    CODE is a code such as E0301, or a function or module as `ensue doc` takes it.

    Exit code: 0 success; 1 there is no such code, module or function.
    """
    if code is not None and not _CODE.fullmatch(code):
        from ensue.cli.doc import command as doc

        context = click.get_current_context()
        return int(doc.invoke(doc.make_context("explain", [code], parent=context)))
    sections = {
        match["code"]: (match["title"], match["body"].strip()) for match in _SECTION.finditer(_page())
    }
    if code is None:
        for name, (title, _) in sections.items():
            click.echo(f"{name}  {title}")
        return exit_codes.SUCCEEDED
    full_code = _full_code(code, sections)
    section = sections.get(full_code)
    if section is None:
        raise click.BadParameter(f"there is no code {code!r}; `ensue explain` lists all", param_hint="CODE")
    click.echo(f"{full_code}: {section[0]}\n\n{_as_text(section[1])}")
    return exit_codes.SUCCEEDED


def _as_text(body: str) -> str:
    """Return a section as it reads on a terminal: examples are indented, links are their words."""
    lines: list[str] = []
    is_example = False
    for line in body.splitlines():
        if line.startswith("```"):
            is_example = not is_example
        elif is_example:
            lines.append(f"    {line}".rstrip())
        elif not line.startswith("<!--"):
            lines.append(line)
    return _LINK.sub(lambda link: link["words"] or link["page"], "\n".join(lines))


def _full_code(code: str, known: Container[str]) -> str:
    """Return the code that is meant: `e301` and `301` mean E0301, `718` the warning W0718 if there is one."""
    letter, digits = (code[0].upper(), code[1:]) if code[:1].isalpha() else ("", code)
    number = digits.zfill(_CODE_DIGITS)
    if letter:
        return f"{letter}{number}"
    return next((f"{letter}{number}" for letter in "EW" if f"{letter}{number}" in known), f"E{number}")


def _page() -> str:
    """Read the page from the wheel, or from the checkout that this module is part of."""
    here = Path(__file__).resolve()
    for page in (here.with_name("diagnostics.md"), here.parents[3] / "docs" / "diagnostics.md"):
        if page.is_file():
            return page.read_text(encoding="utf-8")
    return ""
