"""The top file: which SLS belong to which target.

Source: Salt's top file; globs, lists, compound and grain matches, several environments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.language.collector import near_names
from ensue.model.data import is_list, is_mapping
from ensue.targeting import Subject, TargetSyntaxError, matches, parse_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ensue.diagnostics import Span
    from ensue.language.collector import Collector
    from ensue.language.renderers.stage import Stream
    from ensue.language.roots import Roots, SlsFile

_ENGINES: Final = {
    "glob": "", "compound": "", "grain": "G", "grain_pcre": "P", "list": "L", "pcre": "E", "ipcidr": "S",
    "pillar": "I", "pillar_pcre": "J", "nodegroup": "N", "range": "R",
}  # fmt: skip


def top_matches(
    roots: Roots,
    render: Callable[[SlsFile], Stream],
    subject: Subject,
    found: Collector,
    *,
    environments: Iterable[str] | None = None,
) -> list[tuple[str, str, Span]] | None:
    """Return the SLS that `top.sls` gives a subject.

    Args:
        roots: where `top.sls` is looked for, in every environment.
        render: renders it.
        subject: who it is matched against.
        found: where faults go.
        environments: only these.

    Returns:
        (SLS name, environment, place) in the order of the file, each once; None when there is no top file.
    """
    results: dict[tuple[str, str], Span] = {}
    any_file = False
    for environment in environments or roots.environments:
        file = roots.find("top", environment)
        if file is None:
            continue
        any_file = True
        stream = render(file)
        _read(stream, subject, found, results)
    return [(name, environment, span) for (name, environment), span in results.items()] if any_file else None


def _read(stream: Stream, subject: Subject, found: Collector, results: dict[tuple[str, str], Span]) -> None:
    document = stream.document()
    if stream.data is None:
        return
    if not is_mapping(stream.data):
        found.error(
            "E0601",
            "the top file is not a mapping",
            document.source_span(1),
            help="it is `base:`, under it targets, under each of them a list of SLS names",
        )
        return
    for environment, targets in stream.data.items():
        if not is_mapping(targets):
            found.error(
                "E0601",
                f"the environment {environment!r} of the top file holds no targets",
                document.locate((str(environment),)),
                help="under it stand targets, each with a list of SLS names",
            )
            continue
        for expression, entries in targets.items():
            span = document.locate((str(environment), str(expression)))
            if _applies(str(expression), entries, subject, span, found):
                for name in _names(entries):
                    results.setdefault((name, str(environment)), span)


def _names(entries: Any) -> list[str]:
    listed = entries if is_list(entries) else [entries]
    return [str(entry) for entry in listed if isinstance(entry, (str, int))]


def _applies(expression: str, entries: Any, subject: Subject, span: Span, found: Collector) -> bool:
    kind = "compound"
    for entry in entries if is_list(entries) else []:
        if is_mapping(entry) and "match" in entry:
            kind = str(entry["match"])
    if kind not in _ENGINES:
        found.error(
            "E0602",
            f"there is no match {kind!r}",
            span,
            help=near_names(kind, _ENGINES) or ", ".join(_ENGINES),
        )
        return False
    engine = _ENGINES[kind]
    try:
        # A quoted word keeps blanks in a pattern together.
        return matches(parse_target(f'{engine}@"{expression}"' if engine else expression), subject)
    except TargetSyntaxError as error:
        found.error("E0701", str(error), span)
        return False


def merge_environments(matched: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """Return (SLS, environment) pairs of a mapping by environment, in order."""
    return [(name, environment) for environment, names in matched.items() for name in names]
