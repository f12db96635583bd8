"""Loads SLS files: rendering, `include` (relative and globs), `extend` and `exclude` of a whole tree."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.diagnostics import Span
from ensue.core.errors import CompileError
from ensue.core.model.data import is_list, is_mapping
from ensue.language.aggregation import AggregatedMap, unmarked
from ensue.language.ansible_words import INCLUDE_WORDS, instead_of_playbook
from ensue.language.collector import near_names
from ensue.language.declarations import Declaration, read_body, read_declarations
from ensue.language.metadata import META, metadata_of, warn_of_state
from ensue.language.references.detection import may_bind, may_hold_slot
from ensue.language.steps import run_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Mapping

    from ensue.language.collector import Collector
    from ensue.language.renderers.stage import Stream
    from ensue.language.settings.roots import Roots, SlsFile
    from ensue.language.steps import Steps
    from ensue.language.yaml import YamlDocument
    from ensue.language.yaml.document import YamlPlace

    RenderFile = Callable[[SlsFile], Stream]

FIRST_ORDER = 10000
"""The order number of the first declaration; it grows by one per declaration (Salt's `iorder`)."""


class ExtendEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One ID under `extend:`."""

    id: str
    declarations: dict[str, Declaration]
    sls: str
    span: Span


_SAVED_PLANS: Final = frozenset({"out", "plan", "tfplan"})
_NO_SLS: Final = frozenset({"yml", "yaml", "tf", "hcl", "json"})
"""Endings of the files of other tools."""


class SlsTree(msgspec.Struct, kw_only=True):
    """Everything that a list of SLS names brought in.

    Args:
        declared: declarations by ID and module, in the order they were loaded.
        extensions: the content of `extend:`.
        excluded_ids: IDs under `exclude:`, each with its place.
        excluded_sls: SLS names under `exclude:`.
        loaded: every rendered SLS, by `sls_key`, with the names that include it, itself among them.
        streams: the rendering of every SLS by `sls_key`, for delayed renderings.
        files: the file of every SLS by `sls_key`.
        outer_ids: IDs and names of the enclosing scopes.
        binds: whether any SLS may contain a reference.
        slots: whether any SLS may contain a slot.
        metadata: the `META` of every SLS by ID, by `sls_key`; the file's own has the empty ID.
    """

    declared: dict[str, dict[str, Declaration]] = msgspec.field(
        default_factory=dict[str, dict[str, Declaration]]
    )
    extensions: list[ExtendEntry] = msgspec.field(default_factory=list[ExtendEntry])
    excluded_ids: dict[str, Span] = msgspec.field(default_factory=dict[str, Span])
    excluded_sls: dict[str, Span] = msgspec.field(default_factory=dict[str, Span])
    loaded: dict[str, set[str]] = msgspec.field(default_factory=dict[str, set[str]])
    streams: dict[str, Stream] = msgspec.field(default_factory=dict[str, "Stream"])
    outer_ids: Container[str] = ()
    files: dict[str, SlsFile] = msgspec.field(default_factory=dict[str, "SlsFile"])
    binds: bool = False
    slots: bool = False
    metadata: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict[str, dict[str, Any]])

    def whole_slses(self) -> frozenset[str]:
        """Return the keys of the SLS that are completely in the plan; none if something was excluded."""
        return frozenset() if self.excluded_ids or self.excluded_sls else frozenset(self.loaded)

    def names_of(self, sls: str, saltenv: str) -> Collection[str]:
        """Return the names by which `sls:` finds an SLS: its own, and those of the SLS that include it."""
        return self.loaded.get(sls_key(sls, saltenv), (sls,))

    def delayed_blocks(self) -> dict[Span, str]:
        """Return the names of these SLS's delayed blocks by place."""
        return {
            block.place: block.name for stream in self.streams.values() for block in stream.space.own.values()
        }


class TreeLoader:
    """Loads SLS files once each, with what they include, and numbers their declarations.

    Args:
        roots: where SLS files are.
        render: renders one file.
        collector: collects the errors.
        numbered: whether declarations are numbered in the order of the files (`state_auto_order`).
    """

    def __init__(
        self, roots: Roots, render: RenderFile, collector: Collector, *, numbered: bool = True
    ) -> None:
        self._roots = roots
        self._render = render
        self._collector = collector
        self._numbered = numbered
        self._next_order = FIRST_ORDER
        self.tree = SlsTree()

    def load(self, file: SlsFile) -> None:
        """Load one SLS and everything it includes; loading it again does nothing."""
        run_steps(self._loading(file))

    def load_data(self, file: SlsFile, stream: Stream) -> None:
        """Load data that was already rendered (a delayed block) as if it were a separate file."""
        self.tree.loaded[sls_key(file.name, file.saltenv)] = {file.name}
        run_steps(self._rendered(file, stream))

    def load_named(self, name: str, saltenv: str, place: YamlPlace | None, instead: str = "") -> None:
        """Load an SLS by name or glob; a missing one is reported, with what to write instead."""
        run_steps(self._loading_named(name, saltenv, place, instead))

    def _loading(self, file: SlsFile) -> Steps[None]:
        key = sls_key(file.name, file.saltenv)
        if key in self.tree.loaded:
            return
        self.tree.loaded[key] = {file.name}
        try:
            stream = self._render(file)
        except CompileError as error:
            self._collector.add(error.diagnostics)
            return
        yield self._rendered(file, stream)

    def _rendered(self, file: SlsFile, stream: Stream) -> Steps[None]:
        key = sls_key(file.name, file.saltenv)
        # The data is loaded now; delayed renderings need the rest of the stream.
        self.tree.streams[key] = msgspec.structs.replace(stream.with_data(None), parts=())
        self.tree.files[key] = file
        for part in (stream, *stream.parts):
            data = unmarked(part.data) if isinstance(part.data, AggregatedMap) else part.data
            yield self._take_in(file, data, part.document())

    def _loading_named(
        self, name: str, saltenv: str, place: YamlPlace | None, instead: str = ""
    ) -> Steps[None]:
        for matched in self._roots.matching(name, saltenv):
            file = self._roots.find(matched, saltenv)
            if file is None:
                self._missing(matched, saltenv, place, instead)
            else:
                yield self._loading(file)

    def _missing(self, name: str, saltenv: str, place: YamlPlace | None, instead: str) -> None:
        if not self._roots.folders(saltenv):
            self._collector.error(
                "E0301",
                f"there is no SLS {name!r}: there is no environment {saltenv!r}",
                place,
                detail=f"file_roots names {', '.join(self._roots.environments)}",
                help=near_names(saltenv, self._roots.environments)
                or self._without_environment(name, saltenv),
            )
            return
        folders = ", ".join(self._roots.shown(folder) for folder in self._roots.folders(saltenv))
        near = near_names(name, self._roots.names(saltenv))
        below = name.removeprefix("./").strip("/").replace(".", "/")
        self._collector.error(
            "E0301",
            f"there is no SLS {name!r}",
            place.item(name) if place else Span(f"{folders or 'states'}/{below}.sls"),
            detail=f"neither {below}.sls nor {below}/init.sls is below {folders or 'any file root'}",
            help=instead
            or _other_file(name)
            or self._of_path(name, saltenv)
            or near
            or "create the file, or check file_roots in ensue.yaml",
        )

    def _of_path(self, name: str, saltenv: str) -> str:
        """Return the remedy for `states/web` or `./states`, a path; empty for others."""
        if self._roots.is_folder(name, saltenv):
            such = ", ".join(f"`{sls}`" for sls in self._roots.names(saltenv)[:1])
            return f"leave it out for what top.sls assigns, or name an SLS, such as {such or '`web`'}"
        meant = self._roots.named_by_path(name, saltenv)
        return f"write `{meant}`: the name of an SLS begins below the file root" if meant else ""

    def _without_environment(self, name: str, saltenv: str) -> str:
        """Return the remedy for `- role: web` in an `include`, whose key is read as an environment."""
        sls = name.strip("./").replace("/", ".")
        if saltenv in INCLUDE_WORDS or sls in self._roots.names("base"):
            return f"write `- {sls}`: a key is an environment of file_roots"
        return "add it to file_roots in ensue.yaml"

    def _take_in(self, file: SlsFile, data: Any, document: YamlDocument) -> Steps[None]:
        if data is None:
            return
        if not is_mapping(data):
            from ensue.core.model.property_values import kind_in_words
            from ensue.language.hcl_words import instead_of_hcl

            self._collector.error(
                "E0207",
                f"the SLS {file.name!r} is not a mapping",
                document.locate(()),
                detail=f"it renders to {kind_in_words(data)}",
                help=instead_of_playbook(data)
                or instead_of_hcl(data)
                or "an SLS is a mapping of IDs to declarations",
            )
            return
        self.tree.binds = self.tree.binds or document.makes_data or may_bind(document.text)
        self.tree.slots = self.tree.slots or document.makes_data or may_hold_slot(document.text)
        if (document.makes_data or META in document.text) and (metadata := metadata_of(data)):
            self.tree.metadata[sls_key(file.name, file.saltenv)] = metadata
            warn_of_state(data, document, self._collector)
        declared = read_declarations(data, file.name, document, self._collector)
        _place(declared, file.saltenv)
        self._read_extend(data, file, document)
        self._read_exclude(data, document)
        self._merge(declared)
        for name, saltenv, place in self._includes(data, file, document):
            yield self._include(name, saltenv, place, file)
        if self._numbered:
            self._number(declared)

    def _include(self, name: str, saltenv: str, place: YamlPlace, file: SlsFile) -> Steps[None]:
        known = len(self.tree.loaded)
        yield self._loading_named(name, saltenv, place)
        # Everything loaded through this include counts as part of the SLS that includes it.
        for names in islice(self.tree.loaded.values(), known, None):
            names.add(file.name)

    def _number(self, declared: Mapping[str, Mapping[str, Declaration]]) -> None:
        order = self._next_order
        for modules in declared.values():
            for declaration in modules.values():
                if "order" not in declaration.arguments:
                    declaration.order = order
                    order += 1
        self._next_order = order

    def _merge(self, declared: Mapping[str, dict[str, Declaration]]) -> None:
        if not self.tree.declared:
            self.tree.declared.update(declared)
            return
        for id_, modules in declared.items():
            if id_ not in self.tree.declared:
                self.tree.declared[id_] = modules
                continue
            first = next(iter(self.tree.declared[id_].values()), None)
            second = next(iter(modules.values()), None)
            if first is None or second is None:
                continue
            before = first.span()
            self._collector.error(
                "E0308",
                f"the ID {id_!r} is declared twice",
                second.span(),
                detail=f"it is first declared at {before}",
                help="IDs are unique across all SLS of a run: rename one, "
                "and set `name` if the ID was its name",
                related=((before, "first here"),),
            )

    def _includes(
        self, data: Mapping[Any, Any], file: SlsFile, document: YamlDocument
    ) -> Iterable[tuple[str, str, YamlPlace]]:
        listed = data.get("include", [])
        if not is_list(listed):
            self._collector.error(
                "E0302",
                f"`include` in SLS {file.name!r} is not a list",
                document.locate(("include",)),
                help="write one `- name` per line under include:",
            )
            return
        for index, item in enumerate(listed):
            place = document.place("include", index)
            name, saltenv = item, file.saltenv
            if is_mapping(item) and len(item) == 1:
                saltenv, name = next(iter(item.items()))
            if not isinstance(name, str) or not name:
                self._collector.error(
                    "E0302",
                    f"`include` in SLS {file.name!r} holds {item!r}",
                    place,
                    help="an SLS takes no values: use pillar, or a macro that both import (the page SLS "
                    "for Terraform and "
                    "Ansible users has an example)"
                    if is_mapping(name)
                    else "name an SLS: `- a.b`",
                )
                continue
            if name.startswith("."):
                absolute = absolute_name(name, file)
                if absolute is None:
                    self._collector.error(
                        "E0302",
                        f"the include {name!r} leads out of the file root",
                        place,
                        detail=f"it is in SLS {file.name!r}",
                        help="use fewer dots, or the whole name",
                    )
                    continue
                name = absolute
            yield name, str(saltenv), place

    def _read_extend(self, data: Mapping[Any, Any], file: SlsFile, document: YamlDocument) -> None:
        if "extend" not in data:
            return
        extended = data["extend"]
        if not is_mapping(extended) or not all(is_mapping(body) for body in extended.values()):
            self._collector.error(
                "E0309",
                f"`extend` in SLS {file.name!r} is not a mapping of IDs",
                document.locate(("extend",)),
                help="it maps IDs to modules with arguments, as in a declaration",
            )
            return
        for raw_id, body in extended.items():
            id_ = str(raw_id)
            declarations = read_body(id_, body, file.name, document, self._collector, above=("extend",))
            _place({id_: declarations}, file.saltenv)
            span = document.locate(("extend", id_))
            self.tree.extensions.append(
                ExtendEntry(id=id_, declarations=declarations, sls=file.name, span=span)
            )

    def _read_exclude(self, data: Mapping[Any, Any], document: YamlDocument) -> None:
        listed = data.get("exclude", [])
        items: list[Any] = listed if is_list(listed) else [None]
        for index, item in enumerate(items):
            place = document.locate(("exclude", index))
            match item:
                case str():
                    self.tree.excluded_sls[item] = place
                case {"sls": str(name)}:
                    self.tree.excluded_sls[name] = place
                case {"id": str(name)}:
                    self.tree.excluded_ids[name] = place
                case dict() if item.keys().isdisjoint(("id", "sls")):
                    self._collector.warning(
                        "E0310",
                        "`exclude` takes only `sls: name` and `id: name`",
                        place,
                        detail=f"{item!r} is ignored, as in Salt",
                        help="write `- sls: a.b` or `- id: some_id`",
                    )
                case _:
                    self._collector.error(
                        "E0310",
                        "`exclude` is a list of `sls: name` and `id: name`",
                        place,
                        help="write `- sls: a.b` or `- id: some_id`",
                    )


def absolute_name(name: str, file: SlsFile) -> str | None:
    """Return the SLS name of a relative include (`.x`, `..x`); None if it leads out of the root."""
    level = len(name) - len(name.lstrip("."))
    parts = file.name.split(".")
    if file.relative.endswith("/init.sls") or file.relative == "init.sls":
        parts.append("init")
    if level > len(parts):
        return None
    return ".".join([*parts[: len(parts) - level], name[level:]]).strip(".")


def _other_file(name: str) -> str:
    """Return what to do with a file that is no SLS; empty if a name is not that of one."""
    bare, _, ending = name.rpartition(".")
    if bare and ending == "sls":
        return f"write `{bare.replace('/', '.')}`: an SLS is named without its ending"
    if (bare and ending in _SAVED_PLANS) or name == "tfplan":
        return "plans are not saved: `ensue apply` compares again, and asks nothing"
    return (
        f"states are in files that end in .sls, not in .{ending}" if "." in name and ending in _NO_SLS else ""
    )


def _place(declared: Mapping[str, Mapping[str, Declaration]], saltenv: str) -> None:
    """Set the environment of declarations; they are created with `base`."""
    if saltenv != "base":
        for modules in declared.values():
            for declaration in modules.values():
                declaration.saltenv = saltenv


def sls_key(name: str, saltenv: str) -> str:
    """Return the key of an SLS of an environment in `SlsTree.loaded`."""
    return name if saltenv == "base" else f"{saltenv}:{name}"
