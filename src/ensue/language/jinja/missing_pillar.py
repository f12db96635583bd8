"""What mends a missing key of pillar: the file that has it, and how the target gets that file."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.model.data import is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_MOST_FILES: Final = 1000
_MOST_NAMED: Final = 3
_LARGEST_BYTES: Final = 1 << 20
_OF_ANSIBLE: Final = (
    "group_vars/*.y*ml", "group_vars/*/*.y*ml", "host_vars/*.y*ml", "host_vars/*/*.y*ml",
    "roles/*/defaults/main.y*ml", "roles/*/vars/main.y*ml",
)  # fmt: skip
"""Files that Ansible reads by their names."""
_IF_MISSING: Final = (
    "give it a value where it may be missing: {{ pillar.get('KEY', 'x') }}, below other keys "
    "{{ salt['pillar.get']('KEY:KEY', 'x') }}"
)
_DEFINE: Final = (
    "define it in a file of pillar that pillar/top.sls assigns, or with `--pillar KEY=VALUE`; or "
    + _IF_MISSING
)


def define_in_pillar(owner: str, key: str, variables: Mapping[str, Any]) -> str:
    """Return what mends a key that pillar lacks.

    Args:
        owner: how the template reads the mapping that lacks the key: `pillar`, or `pillar.app`.
        key: the key.
        variables: the variables of the rendering.
    """
    opts = _options(variables)
    if of_environment := _in_one_environment(owner, key, opts):
        return of_environment
    file = file_with_key(key, variables) if owner == "pillar" else ""
    return f"{file}; or {_IF_MISSING}" if file else _DEFINE


def file_with_key(key: str, variables: Mapping[str, Any]) -> str:
    """Return which file has a top-level key that a target's pillar lacks, and how the target gets it.

    Args:
        key: the key.
        variables: the variables of the rendering.

    Returns:
        The advice; empty if no file has the key.
    """
    opts = _options(variables)
    project = Path(str(opts.get("root_dir")))
    pillar_folders = _folders(opts.get("pillar_roots"))
    if files := list(_files_with(key, _files(pillar_folders))):
        # The file that is named for the target is probably meant, so it comes first.
        files.sort(key=lambda file: str(opts.get("id")) not in file.name)
        named = " and ".join(_shown(file, project) for file in files[:_MOST_NAMED])
        more = f" and {len(files) - _MOST_NAMED} more" if len(files) > _MOST_NAMED else ""
        which = "that file" if len(files) == 1 else "the one that is meant"
        return f"`{key}` is in {named}{more}: assign {which} to this target in pillar/top.sls"
    folders = (str(project), *pillar_folders, *_folders(opts.get("file_roots")))
    if (file := next(_files_with(key, _files_of_ansible(folders)), None)) is None:
        return ""
    name, target = _assigned(file)
    return (
        f"`{key}` is in {_shown(file, project)}, which only Ansible reads by its name: make it "
        f"pillar/{name}.sls, and write `{target}: [{name}]` in pillar/top.sls"
    )


def _in_one_environment(owner: str, key: str, opts: Mapping[str, Any]) -> str:
    """Return the remedy if pillar comes from one environment alone; empty if it comes from all."""
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
        if other != environment and (file := next(_files_with(top_key, _files(others)), None)):
            both = ", ".join(dict.fromkeys((*own, *(_shown(folder, project) for folder in others))))
            return (
                f"{alone}, and `{top_key}` is in {_shown(file, project)} of {other}: list the folder in "
                f"both, `{environment}: [{both}]` below pillar_roots, and assign the file in {top}"
            )
    return f"{alone}: define the key in a file that {top} assigns"


def _options(variables: Mapping[str, Any]) -> Mapping[str, Any]:
    opts = variables.get("opts")
    return cast("Mapping[str, Any]", opts) if is_mapping(opts) else {}


def _folders(roots: Any) -> list[str]:
    """Return the folders of all environments."""
    return [folder for listed in roots.values() for folder in listed] if is_mapping(roots) else []


def _files_with(key: str, files: Iterable[Path]) -> Iterator[Path]:
    """Yield the YAML files that have a top-level key."""
    written = re.compile(rb"^['\"]?%b['\"]?[ \t]*:" % re.escape(key.encode()), re.MULTILINE)
    for file in islice(files, _MOST_FILES):
        with suppress(OSError):
            if file.stat().st_size <= _LARGEST_BYTES and written.search(file.read_bytes()):
                yield file


def _files(folders: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(file for file in Path(folder).rglob("*.sls") if file.name != "top.sls")


def _files_of_ansible(folders: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        for pattern in _OF_ANSIBLE:
            yield from sorted(Path(folder).glob(pattern))


def _assigned(file: Path) -> tuple[str, str]:
    """Return the name that a file of Ansible gets in pillar, and the target that gets the file."""
    *above, last = file.with_suffix("").parts
    if "roles" in above[-3:]:
        return above[-2], "'*'"
    name = last if above[-1] in {"group_vars", "host_vars"} else above[-1]
    if "host_vars" in above[-2:]:
        return name, name
    return name, "'*'" if name == "all" else f"N@{name}"


def _shown(path: str | Path, project: Path) -> str:
    return str(Path(path).relative_to(project) if Path(path).is_relative_to(project) else path)
