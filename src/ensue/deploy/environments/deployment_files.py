"""Reading what a resource graph is built from: folders of definitions, Score files, deployment sets.

A deployment reads documents: those of the files that are given, and those that the store has kept.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from ensue.core.errors import CompileError
from ensue.core.files.regular_files import is_folder, is_regular, read_regular
from ensue.core.files.trees import files_below
from ensue.core.model.data import is_list, is_mapping, with_text_keys
from ensue.deploy.provisioning.definition_files import read_definition
from ensue.deploy.provisioning.deployment_sets import is_deployment_set, read_deployment_set, shared_keys
from ensue.deploy.provisioning.environment_sets import SetDocument, declared_names, deployed_part
from ensue.deploy.provisioning.images import ANY_WORKLOAD
from ensue.deploy.provisioning.score_containers import ContainerSourceFile
from ensue.deploy.provisioning.score_files import ScoreServices, is_score, read_score
from ensue.deploy.provisioning.shapes import ELSEWHERE
from ensue.deploy.provisioning.workloads import Deployment
from ensue.language.renderers.json_stage import load_json_document
from ensue.language.yaml import YamlDocument, load_document
from ensue.language.yaml.input_files import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from ensue.deploy.provisioning.definitions import Definition
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.language.collector import Collector

SUFFIXES: Final = (".yaml", ".yml", ".json")
_DOCUMENT_START: Final = re.compile(r"^---(?=[ \t]|$).*$\n?", re.MULTILINE)
_ANY_TYPE: Final = "*"


def read_definitions(
    folders: Iterable[Path], root: Path, collector: Collector, *, must_exist: bool
) -> list[Definition]:
    """Return the definitions of all YAML and JSON files below some folders, in order of their paths.

    Args:
        folders: the folders; may also be single files.
        root: the project's folder, for places.
        collector: receives the errors in them.
        must_exist: whether a missing folder is an error.
    """
    definitions: list[Definition] = []
    for folder in folders:
        if not (is_folder(folder) or is_regular(folder)):
            if must_exist:
                collector.error("E0825", f"there are no definitions at {shown(folder, root)}", None)
            continue
        for path in [folder] if is_regular(folder) else _files(folder):
            for document, data in _documents(path, root, collector):
                definition = read_definition(data, document, collector)
                definitions += [] if definition is None else [definition]
    return definitions


class LoadedDocument:
    """A document to deploy from, with its data.

    Args:
        kept: the document as a deployment set keeps it.
        document: the document, for places.
        data: its data.
        find_source: returns the file that a container's `source` names; None: it cannot be read.
    """

    def __init__(
        self,
        kept: SetDocument,
        document: YamlDocument,
        data: Any,
        find_source: Callable[[str], ContainerSourceFile | None],
    ) -> None:
        self.kept = kept
        self.document = document
        self.data = data
        self._find_source = find_source
        self._sources: dict[str, ContainerSourceFile | None] = {}

    def source(self, name: str) -> ContainerSourceFile | None:
        """Return the file that a container's `source` names; None: it cannot be read."""
        if name not in self._sources:
            self._sources[name] = self._find_source(name)
        return self._sources[name]

    def to_keep(self) -> SetDocument:
        """Return the document with the files that its containers name."""
        modules = self.data.get("modules") if is_mapping(self.data) else None
        for module in modules.values() if is_mapping(modules) else ():
            for name in named_sources(module):
                self.source(name)
        return replace(
            self.kept, sources={name: file for name, file in self._sources.items() if file is not None}
        )


def load_files(
    files: Iterable[Path], root: Path, collector: Collector, images: Mapping[str, str]
) -> list[LoadedDocument]:
    """Return the documents of some files.

    Args:
        files: Score files and deployment sets.
        root: the project's folder, for places.
        collector: receives what cannot be read.
        images: workload to the image of its containers that have none yet; `*`: of all others.
    """
    loaded: list[LoadedDocument] = []
    for path in dict.fromkeys(files):
        find_source = partial(_source_file, path.parent, root)
        for document, data in _documents(path, root, collector):
            names = declared_names(data)
            kept = SetDocument(
                path=document.path,
                text=document.text,
                first_line=document.source_span(1).line,
                workloads={
                    name: images.get(name, images.get(ANY_WORKLOAD, "")) for name in sorted(names.workloads)
                },
                shared=tuple(sorted(names.shared)),
            )
            loaded.append(LoadedDocument(kept, document, data, find_source))
    return loaded


def load_kept(
    documents: Iterable[SetDocument], collector: Collector, images: Mapping[str, str], origin: str = ""
) -> list[LoadedDocument]:
    """Return documents that the store has kept.

    Args:
        documents: the documents.
        collector: receives what cannot be read.
        images: workload to the image of its containers that have none yet, instead of the kept one; `*`: of
            all others.
        origin: the deployment that had them, for places; empty: the one that each was given to.
    """
    loaded: list[LoadedDocument] = []
    for set_document in documents:
        path = f"{origin or f'deployment {set_document.since}'}: {set_document.path}"
        document = YamlDocument(path, set_document.text, first_line=set_document.first_line)
        data = _loaded(document, collector, is_json=set_document.is_json)
        named = {
            name: images.get(name, images.get(ANY_WORKLOAD, image))
            for name, image in set_document.workloads.items()
        }
        loaded.append(
            LoadedDocument(replace(set_document, workloads=named), document, data, set_document.sources.get)
        )
    return loaded


def read_deployment(
    documents: Iterable[LoadedDocument], collector: Collector, is_defined: Callable[[ResourceKey], bool]
) -> Deployment:
    """Return what some documents request to deploy, all together.

    Args:
        documents: the documents.
        collector: receives the errors in them.
        is_defined: returns whether a definition is for a resource.
    """
    parts: list[Deployment] = []
    deployed = [(item, deployed_part(item.data, item.kept)) for item in documents]
    shared = {name: key for _, data in deployed for name, key in shared_keys(data).items()}
    for document, data in deployed:
        if is_score(data):
            workload = read_score(
                data, document.document, collector, ScoreServices(is_defined, document.source)
            )
            parts += [] if workload is None else [Deployment(workloads=(workload,))]
        elif is_deployment_set(data):
            parts.append(read_deployment_set(data, document.document, collector, shared))
        else:
            collector.error(
                "E0824",
                f"{document.document.path} is neither a Score file nor a deployment set",
                document.document.source_span(1),
                help=ELSEWHERE
                if is_mapping(data) and "entity" in data
                else "begin it with `apiVersion: score.dev/v1b1`, or give it `modules`",
            )
    return Deployment(
        workloads=tuple(item for part in parts for item in part.workloads),
        shared=tuple(request for part in parts for request in part.shared),
    )


def named_sources(module: Any) -> Iterator[str]:
    """Yield the files that the containers of a workload's module name by `source`."""
    spec = module.get("spec") if is_mapping(module) else None
    containers = spec.get("containers") if is_mapping(spec) else None
    for container in containers.values() if is_mapping(containers) else ():
        files = container.get("files") if is_mapping(container) else None
        for file in files.values() if is_mapping(files) else files if is_list(files) else ():
            if is_mapping(file) and isinstance(source := file.get("source"), str):
                yield source


def shown(path: Path, root: Path) -> str:
    """Return a path as messages show it: relative to the project's folder if it is below that."""
    absolute = path.absolute()
    return str(absolute.relative_to(root)) if absolute.is_relative_to(root) else str(path)


def _source_file(folder: Path, root: Path, name: str) -> ContainerSourceFile | None:
    """Return the file that a container's `source` names; None: it cannot be read, or is outside the folder.

    Args:
        folder: the folder of the file that contains the `source`.
        root: the project's folder, for places.
        name: the path as written.
    """
    try:
        path = (folder / name).resolve()
        if not (path.is_relative_to(folder.resolve()) and is_regular(path)):
            return None
        return ContainerSourceFile(shown(folder / name, root), read_regular(path))
    except (OSError, ValueError, RuntimeError):
        return None


def _files(folder: Path) -> list[Path]:
    return sorted(
        path
        for _, path in files_below(folder, skips=_is_hidden)
        if path.name.endswith(SUFFIXES) and not _is_hidden(path.name)
    )


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


def _documents(path: Path, root: Path, collector: Collector) -> Iterator[tuple[YamlDocument, Any]]:
    """Yield the non-empty documents of a file; report what cannot be read.

    Keys become text, as in JSON: a reference names an output by the text of its key.
    """
    name = shown(path, root)
    try:
        text = read_text(path, name)
    except CompileError as error:
        _note_unread(error, collector)
        return
    is_json = path.suffix == ".json"
    for document in [YamlDocument(name, text)] if is_json else _split(name, text):
        data = _loaded(document, collector, is_json=is_json)
        if data is not None:
            yield document, data


def _loaded(document: YamlDocument, collector: Collector, *, is_json: bool) -> Any:
    """Return the data of a document; None if it is empty, or cannot be read, which is reported."""
    try:
        return load_json_document(document) if is_json else with_text_keys(load_document(document))
    except CompileError as error:
        _note_unread(error, collector)
        return None


def _note_unread(error: CompileError, collector: Collector) -> None:
    collector.add(error.diagnostics)
    # A missing definition may be in this file, so references to one are not reported.
    collector.refused.add(_ANY_TYPE)


def _split(name: str, text: str) -> Iterator[YamlDocument]:
    """Split a YAML stream at its document marks, which are always at the beginning of a line."""
    starts = [0, *(mark.end() for mark in _DOCUMENT_START.finditer(text))]
    ends = [*(mark.start() for mark in _DOCUMENT_START.finditer(text)), len(text)]
    for start, end in zip(starts, ends, strict=True):
        if text[start:end].strip():
            yield YamlDocument(name, text[start:end], first_line=text.count("\n", 0, start) + 1)
