"""Jinja expressions with what Salt's renderer prints for them: filters, tests and functions, one by one.

A line of a file in `expressions/` is an expression, or a whole template when it has tags. Below it may be,
with blanks before it, what ensue prints where it is meant to differ:

    ensue "text" because …     JSON; null is a refusal

What Salt printed is in `expressions/recorded/`, a file per theme: text, or null where it refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ensue.core.errors import CompileError
from ensue.language.jinja import JinjaRenderer

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).resolve().parent / "expressions"
RECORDED = FOLDER / "recorded"

_DIFFERS = "    ensue "


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """One expression.

    Args:
        theme: the name of its file.
        text: as it is written.
        differs: whether ensue is meant to print something else than Salt.
        ours: what ensue prints then, None for a refusal.
        reason: why.
    """

    theme: str
    text: str
    differs: bool = False
    ours: str | None = None
    reason: str = ""

    @property
    def template(self) -> str:
        return self.text if "{%" in self.text or "{{" in self.text else f"{{{{ {self.text} }}}}"


def all_expressions() -> list[Expression]:
    """Return the expressions of all files."""
    return [expression for path in sorted(FOLDER.glob("*.txt")) for expression in _read(path)]


def read_recorded() -> dict[tuple[str, str], str | None]:
    """Return what Salt printed, by theme and expression."""
    return {
        (path.stem, text): printed
        for path in sorted(RECORDED.glob("*.json"))
        for text, printed in json.loads(path.read_text()).items()
    }


def write_recorded(printed: dict[tuple[str, str], str | None]) -> None:
    """Write what Salt printed, and forget everything else."""
    for theme in {theme for theme, _ in printed}:
        ours = {text: value for (at, text), value in printed.items() if at == theme}
        content = json.dumps(ours, ensure_ascii=False, indent=1)
        (RECORDED / f"{theme}.json").write_text(content + "\n")


def print_on_ensue(expression: Expression) -> str | None:
    """Return what ensue prints, None for a refusal."""
    try:
        return JinjaRenderer([], shorten=str).render(expression.template, {}, path="t").text
    except CompileError:
        return None


def _read(path: Path) -> Iterator[Expression]:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith(_DIFFERS):
            continue
        if not following.startswith(_DIFFERS):
            yield Expression(theme=path.stem, text=line)
            continue
        ours, end = json.JSONDecoder().raw_decode(following, len(_DIFFERS))
        reason = following[end:].removeprefix(" because ")
        yield Expression(theme=path.stem, text=line, differs=True, ours=ours, reason=reason)
