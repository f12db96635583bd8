"""Pillar files that declare resources which no machine manages: the pillar of this machine has none of them.

It answers users whose target matches nothing, or whose list of resources is empty. A file is recognised by
its text, without rendering it: it has the key at the beginning of a line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity, Span
from ensue.core.errors import CompileError
from ensue.language.yaml.input_files import read_text

if TYPE_CHECKING:
    from ensue.core.model.srn import Srn
    from ensue.language.targets.project_services import ProjectServices

_TOP: Final = "top"


def unassigned_resources(services: ProjectServices) -> Diagnostic | None:
    """Return a warning of a pillar file with resources; None if there is none, or if resources are known.

    Args:
        services: the project; its resources are known.
    """
    minion, index = services.minion, services.directory.index
    if any(record.srn != minion for record in index.records()):
        return None
    key = str(services.settings.option("resource_pillar_key"))
    pattern = re.compile(rf"^{re.escape(key)}:", re.MULTILINE)
    roots = services.pillar_roots
    for saltenv in services.settings.pillar_roots:
        for name in roots.names(saltenv):
            file = None if name == _TOP else roots.find(name, saltenv)
            if file is None:
                continue
            shown = roots.shown(file.path)
            try:
                match = pattern.search(text := read_text(file.path, shown))
            except CompileError:
                continue  # Whoever compiles it gets the error.
            if match is not None:
                return _warning(name, key, Span(shown, text.count("\n", 0, match.start()) + 1), minion)
    return None


def _warning(name: str, key: str, span: Span, minion: Srn) -> Diagnostic:
    return Diagnostic(
        code="E0892",
        summary=f"no machine manages the `{key}` of {span.path}",
        span=span,
        detail=f"this machine ({minion.id}) manages what its own pillar declares, and top.sls of the pillar "
        f"roots does not assign {name} to it",
        help=f"write `base: {{'{minion.id}': [{name}]}}` in top.sls of the pillar roots",
        severity=Severity.WARNING,
    )
