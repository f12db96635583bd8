"""Rewrites the data of an SLS with full names, and adds the states and requisites of its options.

Anything that is not a declaration is left unchanged: the readers of declarations report it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.language.declarations import TOP_LEVEL_WORDS
from ensue.language.requisite_names import MERGED_BY_EXTEND
from ensue.language.stateconf.names import BeyondRootError, absolute_id, absolute_sls
from ensue.language.stateconf.options import misuse
from ensue.language.stateconf.values import FUNCTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.language.stateconf.options import StateconfOptions
    from ensue.language.yaml import YamlDocument

    Body: TypeAlias = "dict[Any, Any]"

GOAL: Final = ".goal"
START: Final = ".start"
_SET_MODULE: Final = FUNCTION.partition(".")[0]


class Rewritten(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a rewriting.

    Args:
        data: the data.
        written: the ID in the file, by the full ID.
        chained: the declarations (ID in the file, key) whose `require` got an entry before its own.
    """

    data: Body
    written: dict[str, str]
    chained: frozenset[tuple[str, str]] = frozenset()


def rewrite(
    data: Body, sls: str, options: StateconfOptions, document: YamlDocument, *, is_whole: bool = True
) -> Rewritten:
    """Rewrite the data of an SLS.

    Args:
        data: the data.
        sls: the name of the SLS.
        options: the options on its first line.
        document: its text, for messages.
        is_whole: whether this is the whole SLS, as opposed to the part before its end marker.

    Raises:
        CompileError: a name leads out of the root, or an ID already exists.
    """
    data = _with_lists(data)
    chained = _chain(data) if options.is_chained and is_whole else frozenset[tuple[str, str]]()
    if options.has_start:
        _add_start(data, document)
    if options.has_goal and is_whole:
        _add_goal(data, document)
    names = _FullNames(sls, document)
    names.of_files(data)
    return Rewritten(data=names.of_states(data), written=names.written, chained=chained)


def _with_lists(data: Body) -> Body:
    """Return data in which each declaration has its own list of arguments, not shared by an alias."""
    return {
        id_: _body_with_lists(body) if id_ not in TOP_LEVEL_WORDS or id_ == "extend" else body
        for id_, body in data.items()
    }


def _body_with_lists(body: Any) -> Any:
    if isinstance(body, str):
        return {body: []}
    if not is_mapping(body):
        return body
    return {key: _listed(key, arguments) for key, arguments in body.items()}


def _listed(key: Any, arguments: Any) -> Any:
    if is_mapping(arguments):  # the value of an ID under `extend`
        return _body_with_lists(arguments)
    if isinstance(arguments, str) and "." not in str(key):  # `cmd: run`
        return [arguments]
    if arguments is None:
        return []
    return (
        [dict(argument) if is_mapping(argument) else argument for argument in arguments]
        if is_list(arguments)
        else arguments
    )


def _chain(data: Body) -> frozenset[tuple[str, str]]:
    """Make each state require the one before it."""
    before: dict[str, str] | None = None
    shifted: set[tuple[str, str]] = set()
    for id_, key, arguments in list(_states(data)):
        if before is not None:
            entry = next(
                (
                    argument
                    for argument in arguments
                    if is_mapping(argument) and is_list(argument.get("require"))
                ),
                None,
            )
            if entry is None:
                arguments.append({"require": [before]})
            else:
                entry["require"] = [before, *entry["require"]]
                shifted.add((id_, key))
        before = {_module(key): id_}
    return frozenset(shifted)


def _add_start(data: Body, document: YamlDocument) -> None:
    if not data:
        return
    _refuse_declared(START, "-s", data, document)
    first = next(_states(data), None)
    if first is None:
        raise misuse(
            "-s adds a state before the first one, and the SLS has no state",
            document.locate(()),
            "leave -s out",
        )
    data[START] = {FUNCTION: [{"require_in": [{_module(first[1]): first[0]}]}]}


def _add_goal(data: Body, document: YamlDocument) -> None:
    _refuse_declared(GOAL, "the renderer without -G", data, document)
    data[GOAL] = {FUNCTION: [{"require": [{_module(key): id_} for id_, key, _ in _states(data)]}]}


def _refuse_declared(id_: str, who: str, data: Body, document: YamlDocument) -> None:
    if id_ in data:
        raise misuse(f"{who} adds a state {id_!r}", document.locate((id_,)), help_="give this one another ID")


def _states(data: Body) -> Iterator[tuple[str, str, list[Any]]]:
    """Yield ID, key and arguments of each declaration."""
    for id_, body in data.items():
        if not isinstance(id_, str) or id_ in TOP_LEVEL_WORDS or id_.startswith("__") or not is_mapping(body):
            continue
        for key, arguments in body.items():
            if not str(key).startswith("__") and is_list(arguments):
                yield id_, str(key), arguments


def _module(key: str) -> str:
    return key.partition(".")[0]


class _FullNames:
    """Makes full names of names that begin with a dot.

    Args:
        sls: the name of the SLS.
        document: its text, for messages.
    """

    def __init__(self, sls: str, document: YamlDocument) -> None:
        self.written: dict[str, str] = {}
        self._sls = sls
        self._document = document

    def of_files(self, data: Body) -> None:
        """Make full names in `include` and `exclude`."""
        listed = data.get("include")
        if is_list(listed):
            data["include"] = [self._included(item, index) for index, item in enumerate(listed)]
        excluded = data.get("exclude")
        if is_list(excluded):
            data["exclude"] = [self._excluded(item, index) for index, item in enumerate(excluded)]

    def of_states(self, data: Body) -> Body:
        """Return data with full IDs; the changed ones come after all others, as in Salt."""
        extended = data.get("extend")
        if is_mapping(extended):
            data["extend"] = self._renamed(extended, ("extend",))
        return self._renamed(data, ())

    def _renamed(self, data: Body, above: tuple[str, ...]) -> Body:
        for id_, _, arguments in _states(data):
            for argument in arguments:
                self._requisites(argument, (*above, id_))
        renamed = {id_: body for id_, body in data.items() if not _is_relative(id_)}
        for id_, body in data.items():
            if _is_relative(id_):
                whole = self._id(id_, (*above, id_))
                if whole in renamed:
                    raise misuse(
                        f"{id_!r} is {whole!r} in full, which already exists",
                        self._document.locate((*above, id_)),
                        help_="give one of them another ID",
                    )
                renamed[whole] = body
                self.written[whole] = id_
                _add_name(body, id_[1:])
        return renamed

    def _requisites(self, argument: Any, place: tuple[str, ...]) -> None:
        """Make full IDs in the requisites of a mapping of arguments."""
        if not is_mapping(argument):
            return
        for word, listed in argument.items():
            if word in MERGED_BY_EXTEND and is_list(listed):
                argument[word] = [self._required(item, (*place, word)) for item in listed]

    def _required(self, item: Any, place: tuple[str, ...]) -> Any:
        if _is_relative(item):
            return self._id(item, place)
        if not is_mapping(item):
            return item
        return {key: self._id(id_, place) if _is_relative(id_) else id_ for key, id_ in item.items()}

    def _included(self, item: Any, index: int) -> Any:
        place = ("include", index)
        if _is_relative(item):
            return self._file(item, place)
        if is_mapping(item):
            return {
                env: self._file(name, place) if _is_relative(name) else name for env, name in item.items()
            }
        return item

    def _excluded(self, item: Any, index: int) -> Any:
        if not is_mapping(item) or not _is_relative(item.get("sls")):
            return item
        return {**item, "sls": self._file(item["sls"], ("exclude", index))}

    def _file(self, relative: str, place: tuple[str | int, ...]) -> str:
        try:
            return absolute_sls(relative, self._sls)
        except BeyondRootError:
            raise self._beyond(relative, place) from None

    def _id(self, relative: str, place: tuple[str | int, ...]) -> str:
        try:
            return absolute_id(relative, self._sls)
        except BeyondRootError:
            raise self._beyond(relative, place) from None

    def _beyond(self, relative: str, place: tuple[str | int, ...]) -> Exception:
        return misuse(
            f"{relative!r} leads out of the file root", self._document.locate(place), "use fewer dots"
        )


def _is_relative(name: Any) -> bool:
    return isinstance(name, str) and name.startswith(".")


def _add_name(body: Any, name: str) -> None:
    """Set the ID without its first dot as the `name` of its states that have none."""
    if not is_mapping(body):
        return
    for key, arguments in body.items():
        if _module(str(key)) == _SET_MODULE or not is_list(arguments):
            continue
        if not any(is_mapping(argument) and "name" in argument for argument in arguments):
            arguments.insert(0, {"name": name})
