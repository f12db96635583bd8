"""Reads the top files of all environments and merges them.

`merge`: the top file of `base` counts for all environments; another counts only for its own environment,
and only if the one of `base` has no section for it. `same`: each counts for its own environment; an
environment without a top file has its section of the one of `default_top`. `merge_all`: all of them, target
by target. Pillar's top files are all read in full; of one target, the later section counts.

Source: Salt's `top_file_merging_strategy`, `env_order`, `default_top`, `state_top`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

import msgspec

from ensue.core.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ensue.language.collector import Collector
    from ensue.language.renderers.stage import Stream
    from ensue.language.settings.roots import Roots, SlsFile
    from ensue.language.yaml import YamlDocument
    from ensue.language.yaml.document import YamlPlace

TopStrategy = Literal["merge", "same", "merge_all", "replace"]

TOP_STRATEGIES: Final = tuple(word for word in get_args(TopStrategy) if word != "replace")
"""The values of `top_file_merging_strategy`; `replace` is how pillar's top files are read."""


DERIVED_HIGHSTATE: Final = "derived_highstate"
"""The key of a top file, and option of `ensue.yaml`, that applies the highstate to derived resources."""


class OwnMatchers(Protocol):
    """The matchers of a project, for one target."""

    def names(self) -> list[str]:
        """Return the names of all matchers."""
        ...

    def find(self, kind: str) -> Callable[[str], bool] | None:
        """Return a function that matches the target against an expression; None if there is no such matcher.

        Raises:
            PluginError: the matcher cannot be used; so does the function.
        """
        ...


class TopOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which top files count, and how they are merged.

    Args:
        saltenv: the only environment that counts; empty: all.
        strategy: how several top files are merged.
        env_order: the order of environments; empty: as in file_roots.
        default_top: the environment whose top file `same` falls back on.
        name: the top file's SLS name.
        only_in: the one environment whose top file is read; empty: all.
        sorted: whether the result is sorted by `env_order` too (in pillar, the last one overrides).
        matchers: the project's own matchers for the target; None: it has none.
    """

    saltenv: str = ""
    strategy: TopStrategy = "merge"
    env_order: tuple[str, ...] = ()
    default_top: str = "base"
    name: str = "top"
    only_in: str = ""
    sorted: bool = False
    matchers: OwnMatchers | None = None


class Target(msgspec.Struct, kw_only=True):
    """What a top file assigns to one target.

    Args:
        entries: SLS names and options.
        span: where the target is written.
        order: the target's position among the others, which pillar's top file may set.
    """

    entries: list[Any]
    span: YamlPlace
    order: int = 0


Sections = dict[str, dict[str, Target]]
"""Targets by environment and expression."""


def read_top_files(
    roots: Roots,
    render: Callable[[SlsFile], Stream],
    collector: Collector,
    options: TopOptions,
    *,
    switches: set[str] | None = None,
) -> Sections | None:
    """Return the merged top files; None if there are none.

    Args:
        roots: where to look for them.
        render: renders them.
        collector: collects the errors.
        options: which of them count, and how they are merged.
        switches: the switches that a top file has on are added to it; None: a top file has none.
    """
    reader = _TopReader(roots, render, collector, switches)
    tops = {saltenv: reader.read(options.name, saltenv) for saltenv in _environments(roots, options)}
    if not any(tops.values()):
        return None
    match options.strategy:
        case "merge":
            return _merge(tops)
        case "same":
            return _same(tops, options.default_top)
        case "merge_all":
            return _merge_all(tops)
        case "replace":
            return _replace(tops)


def has_top_file(roots: Roots, options: TopOptions) -> bool:
    """Return whether there is a top file that counts."""
    return any(roots.find(options.name, saltenv) for saltenv in _environments(roots, options))


def _environments(roots: Roots, options: TopOptions) -> list[str]:
    known = list(dict.fromkeys(["base", *roots.environments]))
    if options.saltenv or options.only_in:
        return [options.saltenv or options.only_in]
    if options.env_order and not options.sorted:
        return [saltenv for saltenv in dict.fromkeys(options.env_order) if saltenv in known]
    return known


class _TopReader:
    """Reads the top file of an environment and those that it includes."""

    def __init__(
        self,
        roots: Roots,
        render: Callable[[SlsFile], Stream],
        collector: Collector,
        switches: set[str] | None,
    ) -> None:
        self._switches = switches
        self._roots = roots
        self._render = render
        self._collector = collector

    def read(self, name: str, saltenv: str) -> list[Sections]:
        """Return the sections of a top file, then those of its includes; none without a file."""
        file = self._roots.find(name, saltenv)
        if file is None:
            return []
        sections, included = self._sections(file)
        tops = [sections]
        for pattern, place in included:
            for other in self._roots.matching(pattern, saltenv):
                below = self._roots.find(other, saltenv)
                if below is None:
                    self._missing(other, place)
                else:
                    tops.append(self._sections(below)[0])
        return tops

    def _missing(self, name: str, place: YamlPlace) -> None:
        self._collector.error(
            "E0601",
            f"the top file includes {name!r}, which does not exist",
            place,
            help=f"create {name.replace('.', '/')}.sls beside it, or remove it from `include`",
        )

    def _sections(self, file: SlsFile) -> tuple[Sections, list[tuple[str, YamlPlace]]]:
        stream = self._render(file)
        document = stream.document()
        if stream.data is None:
            return {}, []
        if not is_mapping(stream.data):
            self._collector.error(
                "E0601",
                "the top file is not a mapping",
                document.source_span(1),
                help="it names environments such as `base:`, targets under each, "
                "and a list of SLS names under each target",
            )
            return {}, []
        included: Any = stream.data.get("include") or []
        sections = {
            str(saltenv): dict(self._targets(str(saltenv), targets, document))
            for saltenv, targets in stream.data.items()
            if saltenv != "include" and not self._is_switch(saltenv, targets)
        }
        listed = included if is_list(included) else [included]
        return sections, [
            (str(entry), document.place("include", index)) for index, entry in enumerate(listed)
        ]

    def _is_switch(self, key: Any, value: Any) -> bool:
        """Return whether a key of the top file is a switch, and record one that is on."""
        if self._switches is None or key != DERIVED_HIGHSTATE or not isinstance(value, bool):
            return False
        if value:
            self._switches.add(key)
        return True

    def _targets(self, saltenv: str, targets: Any, document: YamlDocument) -> Iterator[tuple[str, Target]]:
        if not is_mapping(targets):
            self._collector.error(
                "E0601",
                f"the environment {saltenv!r} of the top file has no targets",
                document.locate((saltenv,)),
                help="write targets under it, each with a list of SLS names",
            )
            return
        for expression, entries in targets.items():
            span = document.place(saltenv, str(expression))
            if not is_list(entries):
                self._collector.error(
                    "E0601",
                    f"the target {str(expression)!r} of the top file has no list",
                    span,
                    help="write one `- name` per line under it",
                )
                continue
            yield str(expression), Target(entries=entries, span=span, order=_order(entries))


def _order(entries: list[Any]) -> int:
    for entry in entries:
        if is_mapping(entry) and "order" in entry:
            try:
                return int(entry["order"])
            except (TypeError, ValueError):
                return 0
    return 0


def _merge(tops: dict[str, list[Sections]]) -> Sections:
    merged = _replace({"base": tops.get("base", [])})
    spoken_for = set(merged)
    for own, listed in tops.items():
        if own not in spoken_for:
            _take(merged, own, listed)
    return merged


def _same(tops: dict[str, list[Sections]], default_top: str) -> Sections:
    merged: Sections = {}
    for own, listed in tops.items():
        _take(merged, own, listed if any(listed) else tops.get(default_top, []))
    return merged


def _take(merged: Sections, saltenv: str, listed: Iterable[Sections]) -> None:
    for sections in listed:
        if saltenv in sections:
            merged.setdefault(saltenv, {}).update(sections[saltenv])


def _merge_all(tops: dict[str, list[Sections]]) -> Sections:
    merged: Sections = {}
    for sections in (entry for listed in tops.values() for entry in listed):
        for saltenv, targets in sections.items():
            known = merged.setdefault(saltenv, {})
            for expression, target in targets.items():
                if expression in known:
                    both = _united(known[expression].entries, target.entries)
                    known[expression] = msgspec.structs.replace(known[expression], entries=both)
                else:
                    known[expression] = target
    return merged


def _united(first: list[Any], second: list[Any]) -> list[Any]:
    """Return the SLS of both without duplicates; of their options, the last one set."""
    listed = [*first, *second]
    options = [entry for entry in listed if is_mapping(entry)]
    return [*options[-1:], *dict.fromkeys(str(entry) for entry in listed if isinstance(entry, (str, int)))]


def _replace(tops: dict[str, list[Sections]]) -> Sections:
    merged: Sections = {}
    for sections in (entry for listed in tops.values() for entry in listed):
        for saltenv, targets in sections.items():
            merged.setdefault(saltenv, {}).update(targets)
    return {
        saltenv: dict(sorted(targets.items(), key=lambda item: item[1].order))
        for saltenv, targets in merged.items()
    }


__all__ = [
    "TOP_STRATEGIES", "OwnMatchers", "Target", "TopOptions", "TopStrategy", "has_top_file",
    "read_top_files",
]  # fmt: skip
