"""What mends a missing pillar key if pillar comes from one environment alone, chosen by `pillarenv`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.model.data import is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_MOST_FILES: Final = 1000
_LARGEST_BYTES: Final = 1 << 20


def in_one_environment(owner: str, key: str, variables: Mapping[str, Any]) -> str:
    """Return the remedy if pillar comes from one environment alone; empty if it comes from all.

    Args:
        owner: how the template reads the mapping that lacks the key: `pillar`, or `pillar.app`.
        key: the key.
        variables: the variables of the rendering.
    """
    opts = variables.get("opts")
    if not is_mapping(opts):
        return ""
    of_saltenv = opts.get("saltenv") if opts.get("pillarenv_from_saltenv") else ""
    environment = str(opts.get("pillarenv") or of_saltenv or "")
    roots = opts.get("pillar_roots")
    if not environment or not is_mapping(roots):
        return ""
    folders = cast("Mapping[str, list[str]]", roots)
    project = Path(str(opts.get("root_dir")))
    own = [_shown(folder, project) for folder in folders.get(environment, ())]
    top = f"{own[0]}/top.sls" if own else "its top file"
    alone = f"pillar comes from the environment {environment} alone (`pillarenv`)"
    top_key = key if owner == "pillar" else owner.split(".")[1]
    for other, others in folders.items():
        if other != environment and (file := _file_with(top_key, others)) is not None:
            both = ", ".join(dict.fromkeys((*own, *(_shown(folder, project) for folder in others))))
            return (
                f"{alone}, and `{top_key}` is in {_shown(file, project)} of {other}: list the folder in "
                f"both, `{environment}: [{both}]` below pillar_roots, and assign the file in {top}"
            )
    return f"{alone}: define the key in a file that {top} assigns"


def _file_with(key: str, folders: Iterable[str]) -> Path | None:
    """Return the first pillar file that has a top-level key."""
    written = re.compile(rb"^['\"]?%b['\"]?[ \t]*:" % re.escape(key.encode()), re.MULTILINE)
    for number, file in enumerate(_files(folders)):
        if number == _MOST_FILES:
            return None
        try:
            if file.stat().st_size <= _LARGEST_BYTES and written.search(file.read_bytes()):
                return file
        except OSError:
            continue
    return None


def _files(folders: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(file for file in Path(folder).rglob("*.sls") if file.name != "top.sls")


def _shown(path: str | Path, project: Path) -> str:
    return str(Path(path).relative_to(project) if Path(path).is_relative_to(project) else path)
