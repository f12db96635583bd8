"""Pillar: rendered like SLS, assigned by its own top file, merged as in Salt.

A file overrides the files that it includes; a file that the top file names later overrides earlier ones.

Source: Salt's pillar, measured in 3008.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.errors import CompileError
from ensue.core.model.data import is_list, is_mapping
from ensue.language.aggregation import unmarked
from ensue.language.collector import near_names
from ensue.language.command_line_pillar import warn_of_command_line
from ensue.language.merging import Merging, merge
from ensue.language.overridden_hosts import warn_of_overridden_hosts
from ensue.language.steps import run_steps
from ensue.language.top import TargetNotes, TopOptions, top_matches
from ensue.language.tree import absolute_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ensue.core.diagnostics import Span
    from ensue.language.collector import Collector
    from ensue.language.environment_conflicts import EnvironmentConflicts
    from ensue.language.plain_files import PlainFiles
    from ensue.language.renderers.rendering import SlsRenderer
    from ensue.language.renderers.stage import Stream
    from ensue.language.settings.roots import Roots, SlsFile
    from ensue.language.steps import Steps
    from ensue.language.targeting import TargetSubject
    from ensue.language.top import TopMatch
    from ensue.language.yaml import YamlDocument
    from ensue.language.yaml.document import YamlPlace


class PillarOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How pillar is merged.

    Args:
        merging: how a key that two files set is merged.
        top: which top files count (`pillarenv`), and the order in which environments override each other.
        includes_outrank: included files override the file itself (`pillar_includes_override_sls`).
    """

    merging: Merging = Merging()
    top: TopOptions = TopOptions(strategy="replace", sorted=True)
    includes_outrank: bool = False


class _Include(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `include`: a name or glob, the key for its data, and variables for its templates."""

    name: str
    key: str
    defaults: Mapping[str, Any]
    span: YamlPlace


class PillarCompiler:
    """Compiles the pillar of one subject.

    Args:
        roots: the pillar roots.
        renderer: renders with the subject's grains.
        options: how it is merged.
        plain: the files that are the same for all subjects, shared between their compilers.
        beyond: adds external pillar to the data of the files, before `--pillar` is merged.

    Attributes:
        is_plain: whether all files read are the same for every subject.
    """

    def __init__(
        self,
        roots: Roots,
        renderer: SlsRenderer,
        options: PillarOptions | None = None,
        plain: PlainFiles | None = None,
        beyond: Callable[[dict[str, Any], Collector], dict[str, Any]] | None = None,
    ) -> None:
        self._beyond = beyond
        self._plain = plain
        self._roots = roots
        self._renderer = renderer
        self._options = options or PillarOptions()
        self._documents: list[YamlDocument] = []
        self.is_plain = plain is not None
        self.target_notes = TargetNotes()
        """The targets of the top file that have not matched."""

    def locate(self, keys: Sequence[str]) -> Span | None:
        """Return where pillar sets a value; None if no compiled file does."""
        return next((span for document in self._documents if (span := document.find(keys))), None)

    def compile(
        self, subject: TargetSubject, override: Mapping[str, Any], collector: Collector
    ) -> dict[str, Any]:
        """Return the pillar; errors go to the collector.

        Texts, references and slots in it carry the marks of their authors (`ensue.language.authored_text`,
        `ensue.language.authored`).

        Args:
            subject: the target whose pillar it is.
            override: merged last (`--pillar`).
            collector: collects the errors.
        """
        return self.of(self.matches(subject, collector), override, collector)

    def matches(self, subject: TargetSubject, collector: Collector) -> list[TopMatch]:
        """Return what the top file assigns to a subject; errors go to the collector."""
        try:
            matches = top_matches(
                self._roots,
                self._rendered,
                subject,
                collector,
                self._options.top,
                notes=self.target_notes,
            )
        except CompileError as error:
            collector.add(error.diagnostics)
            return []
        return matches or []

    def of(
        self, matched: Sequence[TopMatch], override: Mapping[str, Any], collector: Collector
    ) -> dict[str, Any]:
        """Return the pillar of the files that a top file assigns; see `compile`."""
        pillar: dict[str, Any] = {}
        loaders: dict[str, _PillarLoader] = {}
        parts: list[tuple[TopMatch, dict[str, Any]]] = []
        conflicts = self._conflicts(matched)
        for match in matched:
            loader = loaders.setdefault(match.saltenv, _PillarLoader(self, match.saltenv, collector))
            for name in self._roots.matching(match.name, match.saltenv):
                data = loader.load(name, match.span, {}, may_be_missing=match.may_be_missing)
                if conflicts is not None:
                    conflicts.add(match.saltenv, data)
                self._options.merging.into(pillar, data)
                parts.append((match, data))
        if any(match.names_subject for match in matched):
            warn_of_overridden_hosts(parts, self._options.merging, collector)
        if conflicts is not None:
            conflicts.warn(collector)
        pillar = unmarked(pillar)
        if self._beyond is not None:
            pillar = self._beyond(pillar, collector)
        if override:
            warn_of_command_line(pillar, override, collector)
        return merge(pillar, override, merge_lists=self._options.merging.lists)

    def _conflicts(self, matched: Sequence[TopMatch]) -> EnvironmentConflicts | None:
        """Return what looks for keys of several environments; None if their order is known."""
        if self._options.top.env_order or all(match.saltenv == matched[0].saltenv for match in matched):
            return None
        from ensue.language.environment_conflicts import EnvironmentConflicts

        return EnvironmentConflicts(self._documents, joins_lists=self._options.merging.lists)

    def _rendered(self, file: SlsFile, defaults: Mapping[str, Any] | None = None) -> Stream:
        if self._plain is None:
            return self._renderer.render_file(file, defaults)
        return self._plain.rendered(file, lambda: self._renderer.render_file(file, defaults))

    def read(self, file: SlsFile, defaults: Mapping[str, Any], collector: Collector) -> dict[str, Any]:
        """Return the data of one file, without its includes."""
        try:
            stream = self._rendered(file, defaults)
        except CompileError as error:
            collector.add(error.diagnostics)
            return {}
        self.is_plain = self.is_plain and self._plain is not None and self._plain.holds(file)
        document = stream.document()
        self._documents.append(document)
        if stream.data is None:
            return {}
        if not is_mapping(stream.data):
            from ensue.core.model.property_values import kind_in_words

            place = document.source_span(1)
            collector.error(
                "E0603",
                f"the pillar SLS {file.name!r} is not a mapping",
                place,
                detail=f"it renders to {kind_in_words(stream.data)}",
                help=_instead_of_data(stream.data),
            )
            return {}
        return dict(stream.data)

    @property
    def roots(self) -> Roots:
        """The pillar roots."""
        return self._roots

    @property
    def options(self) -> PillarOptions:
        """How pillar is merged."""
        return self._options

    def last_document(self) -> YamlDocument:
        """The document of the file that was read last."""
        return self._documents[-1]


class _PillarLoader:
    """Loads the files of one environment with their includes; a file that was included is not read again."""

    def __init__(self, compiler: PillarCompiler, saltenv: str, collector: Collector) -> None:
        self._compiler = compiler
        self._saltenv = saltenv
        self._collector = collector
        self._read: dict[str, dict[str, Any]] = {}

    def load(
        self, name: str, span: YamlPlace, defaults: Mapping[str, Any], *, may_be_missing: bool = False
    ) -> dict[str, Any]:
        """Return the merged data of a file and all its includes.

        Args:
            name: its SLS name.
            span: where it is named.
            defaults: variables for its templates.
            may_be_missing: whether a missing file is no error.
        """
        return run_steps(self._loading(name, span, defaults, may_be_missing=may_be_missing))

    def _loading(
        self, name: str, span: YamlPlace, defaults: Mapping[str, Any], *, may_be_missing: bool = False
    ) -> Steps[dict[str, Any]]:
        file = self._compiler.roots.find(name, self._saltenv)
        if file is None:
            if not may_be_missing:
                self._missing(name, span)
            return {}
        data = self._compiler.read(file, defaults, self._collector)
        if "include" not in data:
            self._read[name] = data
            return data
        includes = list(self._includes(data.pop("include"), file, defaults))
        self._read[name] = data
        below: list[dict[str, Any]] = []
        for include in includes:
            below += yield self._included(include)
        return self._with_included(data, below)

    def _with_included(self, data: dict[str, Any], below: list[dict[str, Any]]) -> dict[str, Any]:
        merging = self._compiler.options.merging
        parts = [data, *below] if self._compiler.options.includes_outrank else [*below, data]
        whole: dict[str, Any] = {}
        for part in parts:
            merging.into(whole, part)
        return whole

    def _included(self, include: _Include) -> Steps[list[dict[str, Any]]]:
        parts: list[dict[str, Any]] = []
        for name in self._compiler.roots.matching(include.name, self._saltenv):
            known = self._read.get(name)
            if known is None:
                known = yield self._loading(name, include.span, include.defaults)
            parts.append(self._below(include, known))
        return parts

    def _below(self, include: _Include, data: dict[str, Any]) -> dict[str, Any]:
        """Return data below the key that an include names."""
        if not include.key:
            return data
        from ensue.language.data_faults import refuse_unbounded

        for part in reversed(include.key.split(":")):
            data = {part: data}
        try:
            refuse_unbounded(data, include.span.span())
        except CompileError as error:
            self._collector.add(error.diagnostics)
            return {}
        return data

    def _includes(self, listed: Any, file: SlsFile, defaults: Mapping[str, Any]) -> Iterator[_Include]:
        document = self._compiler.last_document()
        if not is_list(listed):
            message = f"`include` in the pillar SLS {file.name!r} is not a list"
            place = document.locate(("include",))
            self._collector.error("E0302", message, place, help="write one `- name` per line under include:")
            return
        for index, entry in enumerate(listed):
            name, key = entry, ""
            if is_mapping(entry) and entry:
                name, options = next(iter(entry.items()))
                key = str(options.get("key") or "") if is_mapping(options) else ""
                # As in Salt, the variables of one entry also apply to the entries below it.
                given = options.get("defaults") if is_mapping(options) else None
                defaults = given if is_mapping(given) else {}
            text = str(name)
            text = (absolute_name(text, file) or text) if text.startswith(".") else text.replace("/", ".")
            yield _Include(name=text, key=key, defaults=defaults, span=document.place("include", index))

    def _missing(self, name: str, span: YamlPlace) -> None:
        roots = self._compiler.roots
        if not (folders := ", ".join(map(roots.shown, roots.folders(self._saltenv)))):
            self._collector.error(
                "E0603",
                f"there is no pillar SLS {name!r}: pillar_roots has no environment {self._saltenv!r}",
                span,
                detail=f"pillar_roots names {', '.join(roots.environments)}",
                help=near_names(self._saltenv, roots.environments) or "add it to pillar_roots in ensue.yaml",
            )
            return
        self._collector.error(
            "E0603",
            f"there is no pillar SLS {name!r}",
            span.item(name),
            help=near_names(name, roots.names(self._saltenv))
            or f"create {name.replace('.', '/')}.sls below {folders}",
        )


def _instead_of_data(data: Any) -> str:
    """Return what to write instead of a pillar file that renders to other data than a mapping."""
    if isinstance(data, str) and data.lstrip().startswith(("{", "[")):
        return "a text that is JSON becomes data with {{ … | load_json | tojson }}"
    return "pillar is a mapping: write `key: value`"


__all__ = ["PillarCompiler", "PillarOptions"]
