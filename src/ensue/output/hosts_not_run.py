"""Hosts of a run that did not begin, as `--out json` shows them beside the returns of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.masking import Masker
    from ensue.core.model.report import RunReport


def hosts_not_run_data(report: RunReport, masker: Masker) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield an entry for each host that did not begin, under a key in the form of a tag."""
    for target, states in report.hosts_not_run.items():
        name = masker.name(f"{target.partition(':')[2]} states")
        yield (
            f"no_|-{name}_|-{name}_|-None",
            {
                "name": name,
                "changes": {},
                "result": None,
                "comment": f"not run: {'1 state' if states == 1 else f'{states} states'}",
                "status": "not run",
                "__id__": name,
                "__target__": masker.name(target),
            },
        )
