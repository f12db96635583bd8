"""Results of states in the requested form: blocks, a JSON or YAML document, or nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

import msgspec

from ensue.output.colours import is_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.cli.session import Session
    from ensue.core.model.report import RunReport
    from ensue.output.highstate import HighstateOptions, StateOutput


class ResultLayout(msgspec.Struct, frozen=True, kw_only=True):
    """How much is shown of each state.

    Args:
        state_output: `--state-output`; None: as ensue.yaml says, else full.
        state_verbose: `--state-verbose`; None: as ensue.yaml says, else yes.
    """

    state_output: str | None = None
    state_verbose: bool | None = None


def print_report(session: Session, report: RunReport, layout: ResultLayout) -> None:
    """Print the results of a run on stdout."""
    match session.out:
        case "quiet":
            return
        case "json":
            from ensue.core.model.documents import json_pieces

            session.print_text(json_pieces(report.minion_id, _shown(session, report)))
        case "yaml":
            session.print_document({report.minion_id: dict(_shown(session, report))})
        case _ if _is_short(session, layout):
            from ensue.output.changes_view import changes_text

            session.print_text(changes_text(report, session.masker, session.stdout_palette))
        case _:
            from ensue.output.highstate import highstate_text

            session.print_text(highstate_text(report, session.masker, _options(session, layout)))


def _shown(session: Session, report: RunReport) -> Iterator[tuple[str, dict[str, Any]]]:
    from ensue.output.hosts_not_run import hosts_not_run_data
    from ensue.output.presentable import excluded_by_scope, returns_data

    yield from returns_data(report.returns, session.masker, excluded_by_scope(report.excluded))
    yield from hosts_not_run_data(report, session.masker)


def _is_short(session: Session, layout: ResultLayout) -> bool:
    """Return whether to show only what changes or fails: with `--out short`, or on a terminal."""
    if layout != ResultLayout():
        return False
    if session.out == "short":
        return True
    if session.out_is_given or session.option("state_output") or session.option("state_verbose") is not None:
        return False
    return is_terminal(sys.stdout)


def _options(session: Session, layout: ResultLayout) -> HighstateOptions:
    from ensue.output.highstate import HighstateOptions

    verbose = session.option("state_verbose") if layout.state_verbose is None else layout.state_verbose
    return HighstateOptions(
        state_output=cast("StateOutput", layout.state_output or session.option("state_output") or "full"),
        state_verbose=verbose is not False,
        palette=session.stdout_palette,
        with_outcome=not session.out_is_given,
    )
