"""Files that declare resources which no machine manages: the pillar of this machine has none of them.

It answers users whose target matches nothing, or whose list of resources is empty. A file is recognised by
its text, without rendering it: a pillar file has the key at the beginning of a line, or the name of a type
or the group `all` with hosts below it; an inventory of Ansible has variables such as `ansible_host`.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity, Span
from ensue.core.errors import CompileError
from ensue.core.files.regular_files import is_regular
from ensue.language.yaml.input_files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.model.srn import Srn
    from ensue.language.targets.targets import Targets

_TOP: Final = "top"
_BELOW: Final = r"[ \t]*\n(?:(?:[ \t]+.*)?\n)*?[ \t]+(?:hosts|children):"
"""What follows a type or the group `all` that has hosts."""
_OF_ANSIBLE: Final = r"^[^#;\n]*\bansible_\w+[ \t]*[=:]"
_ENDINGS: Final = frozenset({"", ".ini", ".yml", ".yaml"})
_LARGEST_BYTES: Final = 1 << 16
_OPTIONS: Final = "ensue.yaml"


def unassigned_resources(services: Targets) -> Diagnostic | None:
    """Return a warning of a pillar file with resources; None if there is none, or if resources are known.

    A file whose resources are defaults for what states register is no such file if it is assigned.

    Args:
        services: the project; its resources are known.
    """
    minion, index = services.minion, services.directory.index
    if any(record.srn != minion for record in index.records()):
        return None
    key = str(services.stores.settings.option("resource_pillar_key"))
    declares = re.compile(rf"^{re.escape(key)}:", re.MULTILINE)
    groups = "|".join(map(re.escape, ("all", *services.stores.plugins.sources.names())))
    lacks_key = re.compile(rf"^(?:{groups}):{_BELOW}|{_OF_ANSIBLE}", re.MULTILINE)
    files = list(_pillar_files(services))
    # Defaults alone are assigned, and declare no resource: states register those.
    is_assigned = key in (services.compiled_pillar(minion) or {})
    for name, shown, text in () if is_assigned else files:
        if match := declares.search(text):
            return _warning(name, key, _place(shown, text, match), minion)
    for shown, text in (*((shown, text) for _, shown, text in files), *_files_of_project(services)):
        if match := lacks_key.search(text):
            return _inventory(key, _place(shown, text, match))
    return None


def _pillar_files(services: Targets) -> Iterator[tuple[str, str, str]]:
    """Yield the SLS, the path and the text of each pillar file; whoever compiles one gets its errors."""
    roots = services.stores.pillar_roots
    for saltenv in services.stores.settings.pillar_roots:
        for name in roots.names(saltenv):
            file = None if name == _TOP else roots.find(name, saltenv)
            if file is None:
                continue
            shown = roots.shown(file.path)
            with suppress(CompileError):
                yield name, shown, read_text(file.path, shown)


def _files_of_project(services: Targets) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file of the project's folder that may be an inventory."""
    for path in sorted(services.stores.settings.root.iterdir()):
        if path.suffix not in _ENDINGS or path.name == _OPTIONS or not is_regular(path):
            continue
        with suppress(CompileError, OSError):
            if path.stat().st_size <= _LARGEST_BYTES:
                yield path.name, read_text(path, path.name)


def _place(shown: str, text: str, match: re.Match[str]) -> Span:
    return Span(shown, text.count("\n", 0, match.start()) + 1)


def _inventory(key: str, span: Span) -> Diagnostic:
    return Diagnostic(
        code="E0892",
        summary=f"no machine manages the hosts of {span.path}",
        span=span,
        detail=f"hosts are declared below `{key}` in pillar",
        help=f"write `{key}: {{ssh_host: {{hosts: {{ID: {{host: ADDRESS}}}}}}}}` in a pillar file, and "
        "groups as nodegroups of ensue.yaml (`ensue doc inventory`)",
        severity=Severity.WARNING,
    )


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
