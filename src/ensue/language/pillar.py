"""Pillar: rendered like SLS, chosen by its own top file, merged as Salt merges.

Source: Salt's pillar; `pillar_source_merging_strategy: smart` is `recurse` for YAML.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.errors import CompileError
from ensue.language.top import top_matches
from ensue.language.tree import absolute_name
from ensue.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.diagnostics import Span
    from ensue.language.collector import Collector
    from ensue.language.rendering import SlsRenderer
    from ensue.language.roots import Roots
    from ensue.language.yaml import YamlDocument
    from ensue.targeting import Subject


class _Loading(msgspec.Struct, frozen=True):
    """What one compilation builds up: the pillar, which files are in it, and faults."""

    pillar: dict[str, Any]
    loaded: set[str]
    found: Collector


class PillarCompiler:
    """Compiles the pillar of one subject.

    Args:
        roots: the pillar roots.
        renderer: renders with the subject's grains.
        strategy: `smart`, `recurse`, `overwrite` or `list`.
        merge_lists: lists of the same key are joined instead of replaced.
    """

    def __init__(
        self, roots: Roots, renderer: SlsRenderer, *, strategy: str = "smart", merge_lists: bool = False
    ) -> None:
        self._roots = roots
        self._renderer = renderer
        self._strategy = strategy
        self._merge_lists = merge_lists
        self._documents: list[YamlDocument] = []

    def locate(self, keys: Sequence[str]) -> Span | None:
        """Return where pillar sets a value, None when no file that was compiled does."""
        return next((span for document in self._documents if (span := document.find(keys))), None)

    def compile(self, subject: Subject, override: Mapping[str, Any], found: Collector) -> dict[str, Any]:
        """Return the pillar; faults go to the collector.

        Args:
            subject: whom it is for.
            override: merged last (`--pillar`).
            found: where faults go.
        """
        pillar: dict[str, Any] = {}
        try:
            matched = top_matches(self._roots, self._renderer.render_file, subject, found) or []
        except CompileError as error:
            found.add(error.diagnostics)
            return pillar
        loading = _Loading(pillar, set(), found)
        for pattern, saltenv, span in matched:
            for name in self._roots.matching(pattern, saltenv):
                self._load(name, saltenv, span, loading)
        return merge(pillar, override, merge_lists=self._merge_lists)

    def _load(
        self,
        name: str,
        saltenv: str,
        span: Span,
        loading: _Loading,
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        if name in loading.loaded:
            return
        loading.loaded.add(name)
        found = loading.found
        file = self._roots.find(name, saltenv)
        if file is None:
            found.error(
                "E0603",
                f"there is no pillar SLS {name!r}",
                span,
                help=f"create {name.replace('.', '/')}.sls below the pillar roots",
            )
            return
        try:
            stream = self._renderer.render_file(file, defaults)
        except CompileError as error:
            found.add(error.diagnostics)
            return
        document = stream.document()
        self._documents.append(document)
        data: Any = stream.data if stream.data is not None else {}
        if not is_mapping(data):
            found.error("E0603", f"the pillar SLS {name!r} is not a mapping", document.source_span(1))
            return
        for index, included in enumerate(data.pop("include", [])):
            place = document.locate(("include", index))
            target, key, given = included, None, None
            if is_mapping(included) and included:
                target, extra = next(iter(included.items()))
                key, given = (extra.get("key"), extra.get("defaults")) if is_mapping(extra) else (None, None)
            absolute = absolute_name(str(target), file) if str(target).startswith(".") else str(target)
            inner: dict[str, Any] = {}
            below = _Loading(inner, loading.loaded, found)
            self._load(absolute or str(target), saltenv, place, below, given if is_mapping(given) else None)
            self._merge_into(loading.pillar, {key: inner} if key else inner)
        self._merge_into(loading.pillar, data)

    def _merge_into(self, pillar: dict[str, Any], data: Mapping[str, Any]) -> None:
        if self._strategy == "overwrite":
            pillar.update(data)
        else:
            merge_into(pillar, data, merge_lists=self._merge_lists)


def merge(
    base: Mapping[str, Any], addition: Mapping[str, Any], *, merge_lists: bool = False
) -> dict[str, Any]:
    """Return a mapping with another merged in, mappings key by key; neither is changed."""
    merged = copy.deepcopy(dict(base))
    merge_into(merged, addition, merge_lists=merge_lists)
    return merged


def merge_into(target: dict[str, Any], addition: Mapping[str, Any], *, merge_lists: bool = False) -> None:
    """Merge a mapping into another one, which is changed."""
    for key, value in addition.items():
        old = target.get(key)
        if is_mapping(old) and is_mapping(value):
            merge_into(old, value, merge_lists=merge_lists)
        elif merge_lists and is_list(old) and is_list(value):
            target[key] = old + [item for item in value if item not in old]
        else:
            target[key] = copy.deepcopy(value)
