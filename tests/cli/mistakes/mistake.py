"""One mistake of a newcomer, and how the usual ones are written."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SECRET = "hunter2-s3cret"
"""A password that a project may have, and that no answer shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One mistake, and the parts of the answer.

    Args:
        what: what is wrong, in a few words.
        says: what has happened.
        mends: how to mend it.
        at: the place, `states/t.sls:3`; empty if no file is wrong.
        words: the command line.
        files: files of the project, by path.
        code: the exit code: 1 refused, 2 a state or a target failed, 0 a warning.
        before: command lines that run first, and succeed.
    """

    what: str
    says: str
    mends: str
    at: str = ""
    words: str = "apply t"
    files: Mapping[str, str] = field(default_factory=lambda: {"states/t.sls": "a: test.nop\n"})
    code: int = 1
    before: tuple[str, ...] = ()


def state(what: str, text: str, at: str, *, says: str, mends: str, code: int = 1) -> Mistake:
    """Return a mistake in an SLS, `states/t.sls`; `at` is its line."""
    where = f"states/t.sls:{at}" if at else ""
    return Mistake(what=what, files={"states/t.sls": text}, at=where, says=says, mends=mends, code=code)


def argument(what: str, line: str, *, says: str, mends: str) -> Mistake:
    """Return a mistake in an argument of `file.managed`, on the fourth line."""
    text = f"/etc/motd:\n  file.managed:\n    - contents: hello\n    - {line}\n"
    return state(what, text, "4", says=says, mends=mends)


def line(words: str, *, says: str, mends: str, code: int = 1) -> Mistake:
    """Return a command line that is wrong itself."""
    return Mistake(what=f"`ensue {words}`", words=words, says=says, mends=mends, code=code)


def option(text: str, *, says: str, mends: str, code: int = 0) -> Mistake:
    """Return a line of `ensue.yaml`."""
    files = {"states/t.sls": "a: test.nop\n", "ensue.yaml": f"{text}\n"}
    return Mistake(
        what=f"{text} in ensue.yaml", files=files, at="ensue.yaml:1", says=says, mends=mends, code=code
    )


def with_files(mistake: Mistake, files: Mapping[str, str], **more: str) -> Mistake:
    """Return a mistake in a project that has more files."""
    return replace(mistake, files={**mistake.files, **files}, **more)  # type: ignore[arg-type]
