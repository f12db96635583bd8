"""The command that resumes a run, for messages: with the options that have to be given again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def pillar_words(keys: Iterable[str]) -> str:
    """Return options that give pillar, each after a blank, with `…` for the values, which may be secret."""
    if not (named := list(keys)):
        return ""
    import shlex

    return "".join(f" --pillar {shlex.quote(key)}=…" for key in named)


def resume_command(run_id: str, pillar_keys: Iterable[str]) -> str:
    """Return the command that resumes a run.

    Args:
        run_id: the run.
        pillar_keys: the keys of the pillar of its command line, which has to be given again.
    """
    return f"ensue runs resume {run_id}{pillar_words(pillar_keys)}"
