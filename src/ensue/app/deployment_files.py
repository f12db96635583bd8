"""Reading what a resource graph is built from: folders of definitions, Score files, deployment sets."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ensue.errors import CompileError
from ensue.files.regular_files import is_folder, is_regular, read_regular
from ensue.files.trees import files_below
from ensue.language.input_files import read_text
from ensue.language.renderers.json_stage import load_json_document
from ensue.language.yaml import YamlDocument, load_document
from ensue.model.data import with_text_keys
from ensue.provisioning.definition_files import read_definition
from ensue.provisioning.deployment_sets import is_deployment_set, read_deployment_set
from ensue.provisioning.score_containers import SourceFile
from ensue.provisioning.score_files import Surroundings, is_score, read_score
from ensue.provisioning.workloads import Deployment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from ensue.language.collector import Collector
    from ensue.provisioning.definitions import Definition
    from ensue.provisioning.identity import Key

SUFFIXES: Final = (".yaml", ".yml", ".json")
_DOCUMENT_START: Final = re.compile(r"^---(?=[ \t]|$).*$\n?", re.MULTILINE)
_ANY_TYPE: Final = "*"


def read_definitions(
    folders: Iterable[Path], root: Path, found: Collector, *, must_exist: bool
) -> list[Definition]:
    """Return the definitions of all YAML and JSON files below some folders, in order of their paths.

    Args:
        folders: the folders; may also be single files.
        root: the project's folder, for places.
        found: receives the errors in them.
        must_exist: whether a missing folder is an error.
    """
    definitions: list[Definition] = []
    for folder in folders:
        if not (is_folder(folder) or is_regular(folder)):
            if must_exist:
                found.error("E0825", f"there are no definitions at {shown(folder, root)}", None)
            continue
        for path in [folder] if is_regular(folder) else _files(folder):
            for document, data in _documents(path, root, found):
                definition = read_definition(data, document, found)
                definitions += [] if definition is None else [definition]
    return definitions


def read_deployment(
    files: Iterable[Path], root: Path, found: Collector, is_defined: Callable[[Key], bool]
) -> Deployment:
    """Return what some files request to deploy, all together.

    Args:
        files: Score files and deployment sets.
        root: the project's folder, for places.
        found: receives the errors in them.
        is_defined: returns whether a definition is for a resource.
    """
    parts: list[Deployment] = []
    for path in dict.fromkeys(files):
        around = Surroundings(is_defined, partial(_source_file, path.parent, root))
        for document, data in _documents(path, root, found):
            if is_score(data):
                workload = read_score(data, document, found, around)
                parts += [] if workload is None else [Deployment(workloads=(workload,))]
            elif is_deployment_set(data):
                parts.append(read_deployment_set(data, document, found))
            else:
                found.error(
                    "E0824",
                    f"{document.path} is neither a Score file nor a deployment set",
                    document.source_span(1),
                    help="begin it with `apiVersion: score.dev/v1b1`, or give it `modules`",
                )
    return Deployment(
        workloads=tuple(one for part in parts for one in part.workloads),
        shared=tuple(one for part in parts for one in part.shared),
    )


def shown(path: Path, root: Path) -> str:
    """Return a path as messages show it: relative to the project's folder if it is below that."""
    absolute = path.absolute()
    return str(absolute.relative_to(root)) if absolute.is_relative_to(root) else str(path)


def file_below(folder: Path, name: str) -> Path | None:
    """Return the file that a container's `source` names; None if it is not in the folder, or not below it.

    Args:
        folder: the folder of the file that contains the `source`.
        name: the path as written.
    """
    try:
        path = (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
    return path if path.is_relative_to(folder.resolve()) and is_regular(path) else None


def _source_file(folder: Path, root: Path, name: str) -> SourceFile | None:
    path = file_below(folder, name)
    try:
        return None if path is None else SourceFile(shown(folder / name, root), read_regular(path))
    except OSError:
        return None


def _files(folder: Path) -> list[Path]:
    return sorted(
        path
        for _, path in files_below(folder, skips=_is_hidden)
        if path.name.endswith(SUFFIXES) and not _is_hidden(path.name)
    )


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


def _documents(path: Path, root: Path, found: Collector) -> Iterator[tuple[YamlDocument, Any]]:
    """Yield the non-empty documents of a file; report what cannot be read.

    Keys become text, as in JSON: a reference names an output by the text of its key.
    """
    name = shown(path, root)
    try:
        text = read_text(path, name)
    except CompileError as error:
        _note_unread(error, found)
        return
    is_json = path.suffix == ".json"
    for document in [YamlDocument(name, text)] if is_json else _split(name, text):
        try:
            data = load_json_document(document) if is_json else load_document(document)
        except CompileError as error:
            _note_unread(error, found)
            continue
        if data is not None:
            yield document, with_text_keys(data)


def _note_unread(error: CompileError, found: Collector) -> None:
    found.add(error.diagnostics)
    # A missing definition may be in this file, so references to one are not reported.
    found.refused.add(_ANY_TYPE)


def _split(name: str, text: str) -> Iterator[YamlDocument]:
    """Split a YAML stream at its document marks, which are always at the beginning of a line."""
    starts = [0, *(mark.end() for mark in _DOCUMENT_START.finditer(text))]
    ends = [*(mark.start() for mark in _DOCUMENT_START.finditer(text)), len(text)]
    for start, end in zip(starts, ends, strict=True):
        if text[start:end].strip():
            yield YamlDocument(name, text[start:end], first_line=text.count("\n", 0, start) + 1)
