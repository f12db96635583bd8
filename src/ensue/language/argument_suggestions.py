"""Guesses the meaning of an unknown argument: a misspelt option, or another tool's name for one.

`meant_by` says what a user may have meant by an argument that is refused. `near_miss` decides whether an
argument that a function would pass on is so close to a known one that it must be a mistake.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.model.near_names import is_one_slip
from ensue.language.ansible_arguments import instead_of_module_argument
from ensue.language.ansible_words import KEYWORDS, instead_of_keyword
from ensue.language.collector import near_names
from ensue.language.hcl_words import argument_meant, instead_of_argument
from ensue.language.option_words import GLOBAL_WORDS, TAGS
from ensue.language.requisite_names import MERGED_BY_EXTEND

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ensue.core.contracts.signature import Signature

_OTHER_TOOLS: Final[dict[str, tuple[str, ...]]] = {
    "when": ("onlyif", "unless"),
    "only_when": ("onlyif",),
    "not_if": ("unless",),
    "depends": ("require",),
    "depends_on": ("require",),
    "dependencies": ("require",),
    "needs": ("require",),
    "required": ("require",),
    "after": ("require",),
    "before": ("require_in",),
    "required_by": ("require_in",),
    "notify": ("watch_in", "onchanges_in"),
    "notifies": ("watch_in", "onchanges_in"),
    "subscribe": ("watch", "onchanges"),
    "subscribes": ("watch", "onchanges"),
    "refreshonly": ("onchanges",),
    "create": ("creates",),
    "become_user": ("runas",),
    "user": ("runas",),
    "retries": ("retry",),
    "loop": ("names",),
    "with_items": ("names",),
    "chdir": ("cwd",),
    "working_dir": ("cwd",),
    "working_directory": ("cwd",),
    "environ": ("env",),
    "environment": ("env",),
    "enviroment": ("env",),
    "envs": ("env",),
    "command": ("name",),
    "cmd": ("name",),
    "dest": ("name",),
    "path": ("name",),
    "src": ("source",),
    "filename": ("name",),
    "perms": ("mode",),
    "file_permission": ("mode",),
    "directory_permission": ("dir_mode",),
    "permissions": ("mode",),
    "mkdirs": ("makedirs",),
    "createdirs": ("makedirs",),
    "gid_from_name": ("usergroup",),
}
"""Names from other tools, old releases of Salt and habit, and their names in ensue."""

_ADVICE: Final = {
    "if": "{% if … %} around the state decides by pillar and grains, `onlyif` by a command on the target"
}
"""What to write instead of an argument that may mean several things."""

_RELATIONS: Final = frozenset({"when", "only_when", "not_if", "depends_on", "depends", "refreshonly"})
"""Those of these names that hardly any function has as an argument."""

_RELATED: Final = MERGED_BY_EXTEND | {"onlyif", "unless", "creates", "names", "name", "retry"}
"""The options that such a name may mean for any function."""

_WORDS_OF_THEIR_OWN: Final = frozenset(
    {"create", "created", "listed", "named", "register", "required", "runs", "stage", "unmask"}
)
"""Words that are one letter away from an option, and that functions have as arguments."""

_NEVER_MEANT: Final = frozenset({"names", "use", "tgt"})
_SHORTEST_OPTION: Final = 5
_SHORTEST_ARGUMENT: Final = 6


def meant_by(word: str, names: Collection[str]) -> str:
    """Return what a user may have meant by an argument that a function does not take.

    Args:
        word: the argument.
        names: the function's own arguments.

    Returns:
        `did you mean a or b?`, or what replaces a keyword of Ansible; empty if nothing is close.
    """
    known = GLOBAL_WORDS | set(names)
    called = [name for name in _OTHER_TOOLS.get(_folded(word), ()) if name in names or name in _RELATED]
    slip = _alike(word, known) or _plural_relation(word)
    if argument := argument_meant(word, names):
        return f"did you mean {argument}?"
    if not slip and (
        advice := instead_of_module_argument(word, names)
        or instead_of_keyword(word)
        or instead_of_argument(word)
        or _ADVICE.get(_folded(word), "")
    ):
        return advice
    if not called:
        # A name that another tool has is no slip: `cmd` is not `cwd`.
        slip = slip or _one_slip_away(word, known - _NEVER_MEANT)
    if slip or called:
        return f"did you mean {slip or ' or '.join(called)}?"
    near = near_names(word, sorted(names)) or near_names(word, sorted(GLOBAL_WORDS), cutoff=0.8)
    return near or instead_of_keyword(_one_slip_away(word, KEYWORDS))


def near_miss(word: str, signature: Signature) -> str:
    """Return the option or argument that a word misspells; empty if the word may be meant.

    Args:
        word: an argument that the function would pass on.
        signature: the signature of the function.
    """
    if word.startswith("_") or "." in word:
        return ""
    if certain := _alike(word, (GLOBAL_WORDS - {TAGS}) | signature.names) or _plural_relation(word):
        return certain
    if signature.is_ours and word in _RELATIONS:
        return _OTHER_TOOLS[word][0]
    if signature.is_ours and f"{word}s" in signature.names:
        return f"{word}s"
    return "" if word in _WORDS_OF_THEIR_OWN else _misspelling(word, signature)


def _misspelling(word: str, signature: Signature) -> str:
    options = (option for option in GLOBAL_WORDS - _NEVER_MEANT if len(option) >= _SHORTEST_OPTION)
    own = (name for name in signature.names if len(name) >= _SHORTEST_ARGUMENT and name != f"{word}s")
    return _one_slip_away(word, options) or _one_slip_away(word, own)


def _plural_relation(word: str) -> str:
    singular = word.removesuffix("es") if word.endswith("ches") else word.removesuffix("s")
    return singular if singular in MERGED_BY_EXTEND and singular not in _NEVER_MEANT else ""


def _alike(word: str, known: Iterable[str]) -> str:
    """Return the known word that differs only in case, dashes and underscores."""
    folded = _folded(word).replace("_", "")
    return min((name for name in known if name.replace("_", "").lower() == folded), default="")


def _folded(word: str) -> str:
    return word.lower().replace("-", "_")


def _one_slip_away(word: str, known: Iterable[str]) -> str:
    """Return the known word that differs by one slip.

    The first letter must match, because it is seldom wrong. A plural is a different word.
    """
    near = (name for name in known if word[:1] == name[:1] and word not in {f"{name}s", f"{name}_"})
    return min((name for name in near if is_one_slip(word, name)), default="")
