"""Why the command of a condition has not answered: it did not run, or it reports an error itself.

Its exit code counts as false all the same, as in Salt. The exit code decides, and for a syntax error the
shell, which reads the line again without running it. 1 is a no. A greater one is an error only of commands
for which POSIX defines it so; other programs have such codes as answers (`systemctl is-active` exits with 3).

Source: POSIX.1-2017, `test`, `grep`, `diff`, `cmp`, and 2.8.2, Exit Status for Commands.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.core.contracts.connection import Command

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Completed, Connection

_NOT_EXECUTABLE: Final = 126
_NOT_FOUND: Final = 127
_LEAST_ERROR: Final = 2
"""The least exit code that is an error of the commands below."""

_TESTS: Final = frozenset({"test", "[", "[["})
_SEARCHES: Final = frozenset({"grep", "egrep", "fgrep"})
_COMPARISONS: Final = frozenset({"cmp", "diff"})
_NEVER_GREATER: Final = frozenset({"!", ":", "false", "true"})
"""Words whose exit code is 0 or 1."""

_SEPARATORS: Final = frozenset({"&&", "||", ";"})
_REDIRECTIONS: Final = frozenset({"<", ">", ">>", "<&", ">&", "&>", "<>"})
_PUNCTUATION: Final = frozenset("();<>|&")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)

_SHELLS: Final = frozenset({"sh", "ash", "bash", "dash", "ksh", "mksh", "zsh"})
"""Shells that read a line without running it (`-n`)."""

_PLAIN_WORDS: Final = re.compile(r"[\w@%+=:,./ -]*", re.ASCII)
_RESERVED: Final = frozenset({
    "case", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then",
    "time", "until", "while",
})  # fmt: skip
"""Words that the grammar of a shell knows; a line of plain words without them has no syntax error."""

_TEMPLATE_ADVICE: Final = "an expression of pillar or grains belongs in {% if … %}"


class Trouble(NamedTuple):
    """Why a command has not answered.

    Args:
        event: what has happened, to be followed by what it counts as; `{}` is the word of the condition.
        advice: what to do about it.
        detail: the command's error output, or what the target reports; it may contain secrets.
    """

    event: str
    advice: str = ""
    detail: str = ""


async def trouble_of(completed: Completed, line: str, shell: str, connection: Connection) -> Trouble | None:
    """Return why a command that has failed has not answered; None if its exit code is an answer.

    Args:
        completed: the command that has ended.
        line: its line.
        shell: the shell that has read it.
        connection: the way to its target.

    Raises:
        EnsueError: the target cannot run the shell again.
    """
    code = completed.returncode
    stderr = completed.stderr.decode(errors="replace").strip()
    if trouble := _without_answer(code, line, stderr):
        return trouble
    # A command that reports an error says so; `grep -s` and `2>/dev/null` are how an author declines that.
    if not stderr:
        return None
    if code >= _LEAST_ERROR and (names := _names_of_deciding_commands(line)) is not None:
        event = f"the command of `{{}}` reports an error (exit code {code})"
        return Trouble(event, _advice_of_error(names), stderr)
    if await _is_no_syntax(line, shell, connection):
        return Trouble(f"the shell cannot read the command of `{{}}` (exit code {code})", "", stderr)
    return None


def _without_answer(code: int, line: str, stderr: str) -> Trouble | None:
    """Return why a command with such an exit code did not run, or not to its end; None: it did."""
    if code < 0:
        return Trouble(f"signal {-code} ended the command of `{{}}`", detail=stderr)
    if code == _NOT_FOUND:
        event = "the shell did not find the command of `{}` (exit code 127)"
        return Trouble(event, _advice_of_missing(line), stderr)
    if code == _NOT_EXECUTABLE:
        event = "the shell cannot execute the command of `{}` (exit code 126)"
        return Trouble(event, "its file needs the permission to be executed: `sh FILE` does not", stderr)
    return None


def _advice_of_missing(line: str) -> str:
    if line.split(maxsplit=1)[:1] == ["[["]:
        return "`[[` is of bash: write `shell: /bin/bash`, or `[ … ]`"
    return f"{_TEMPLATE_ADVICE}; `command -v NAME` asks for a command"


def _advice_of_error(names: set[str]) -> str:
    if names & _TESTS:
        return f"`/bin/sh` compares with `=`, and needs a value on each side, in quotes; {_TEMPLATE_ADVICE}"
    if names & _SEARCHES:
        return "`grep -s` treats a file that does not exist as one without the pattern"
    return "`test -e FILE && …` before it asks whether there is a file"


def _names_of_deciding_commands(line: str) -> set[str] | None:
    """Return the names of the commands one of which has the line's exit code as its own.

    Returns:
        None if one of them has errors of another range, or if the line is more than a list of pipelines.
    """
    names: set[str] = set()
    known = _TESTS | _SEARCHES | _COMPARISONS | _NEVER_GREATER
    for words in _last_of_pipelines(line) or [[]]:
        name = _program(words)
        if name not in known:
            return None
        names.add(name)
    return names - _NEVER_GREATER or None


def _last_of_pipelines(line: str) -> list[list[str]] | None:
    """Return the words of the last command of each pipeline in a list; None if the line is no such list."""
    if "\n" in line.strip():
        return None
    import shlex  # Only a command that has failed needs it.

    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    lasts: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word in _SEPARATORS:
                lasts.append([])
            elif word == "|":
                lasts[-1].clear()
            elif word and _PUNCTUATION.issuperset(word) and word not in _REDIRECTIONS:
                return None
            else:
                lasts[-1].append(word)
    except ValueError:
        return None  # A quote is not closed.
    return [words for words in lasts if words]


def _program(words: list[str]) -> str:
    """Return the name of the program that the words of a command start, behind assignments of variables."""
    name = next((word for word in words if not _ASSIGNMENT.fullmatch(word)), "")
    return posixpath.basename(name)


async def _is_no_syntax(line: str, shell: str, connection: Connection) -> bool:
    """Return whether a shell refuses to read a line."""
    if posixpath.basename(shell) not in _SHELLS:
        return False
    if _PLAIN_WORDS.fullmatch(line) and _RESERVED.isdisjoint(line.split()):
        return False
    reading = await connection.run(Command(argv=[shell, "-n", "-c", line]))
    return reading.returncode not in {0, _NOT_EXECUTABLE, _NOT_FOUND}
