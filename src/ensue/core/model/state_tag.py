"""The parts of a state's tag, `module_|-id_|-name_|-function`."""

from __future__ import annotations

from typing import Final, NamedTuple

from ensue.core.model.chunk import LISTENER_FUNCTION, LISTENER_PREFIX

_SIGN: Final = "_|-"


class TagWords(NamedTuple):
    """The parts of a tag.

    Args:
        module: the module path of the state.
        id: its ID.
        name: its name.
        function: the function in the module.
    """

    module: str
    id: str
    name: str
    function: str


def words_of(tag: str) -> TagWords:
    """Return the parts of a tag; a name may contain the sign between them, and missing parts are empty."""
    module, _, rest = tag.partition(_SIGN)
    id_, _, rest = rest.partition(_SIGN)
    name, _, function = rest.rpartition(_SIGN)
    return TagWords(module, id_, name, function)


def words_of_state(tag: str) -> TagWords:
    """Return the parts of a tag; of that of a listener with the ID of its state."""
    words = words_of(tag)
    is_listener = words.function == LISTENER_FUNCTION
    return words._replace(id=words.id.removeprefix(LISTENER_PREFIX)) if is_listener else words


def listener_tag(tag: str) -> str:
    """Return the tag of the listener of a state, given that of the state."""
    words = words_of(tag)
    return tag_of(words._replace(id=f"{LISTENER_PREFIX}{words.id}", function=LISTENER_FUNCTION))


def tag_of(words: TagWords) -> str:
    """Return the tag of these parts."""
    return _SIGN.join(words)
