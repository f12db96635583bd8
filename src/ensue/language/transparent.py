"""Requisites that a plug-in declares for all states of a function (`TREQ`), without a word in any SLS.

```python
TREQ = {"present": {"require": ["network.present"]}}
```

Every state of `present` then requires every state of `network.present` in the same scope. Words that are not
requisites are ignored; they are Idem's.

Source: Idem 25, transparent requisites.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ensue.core.model.data import is_list, is_mapping
from ensue.language.requested import add_request
from ensue.language.requisite_names import REQUISITES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.language.chunks import Draft
    from ensue.language.requested import Requested

    Rules: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]

TREQ: Final = "TREQ"
"""The name of the variable in a module of state functions."""


def rules_of(declared: Any, function: str) -> Rules:
    """Return the requisite words that a `TREQ` has for a function, each with the functions it names.

    Args:
        declared: the value of `TREQ`.
        function: the function's name in its module.

    Raises:
        ValueError: it has another shape.
    """
    rules = declared.get(function) if is_mapping(declared) else None
    if rules is None and (declared is None or is_mapping(declared)):
        return ()
    if not is_mapping(rules):
        raise ValueError(f"{TREQ} maps functions to requisites: {{'present': {{'require': ['a.present']}}}}")
    for word, names in rules.items():
        if not is_list(names) or not all(isinstance(name, str) for name in names):
            raise ValueError(f"{TREQ}[{function!r}][{word!r}] is a list of state functions")
    return tuple((word, tuple(names)) for word, names in rules.items() if word in REQUISITES and names)


def add_transparent(
    drafts: Sequence[Draft], rules: Callable[[str, str], Rules], requested: Requested
) -> None:
    """Add the requisites that plug-ins declare to those of a scope's drafts.

    Args:
        drafts: all of them.
        rules: returns the declared requisites of a module and function.
        requested: the requisites of every draft; changed in place.
    """
    by_function = _by_function(drafts)
    for (module, function), numbers in by_function.items():
        for word, names in rules(module, function):
            targets = [target for name in names for target in by_function.get(_split(name), ())]
            for number in numbers:
                for target in targets:
                    if target != number:
                        add_request(requested, number, word, target)


def _by_function(drafts: Sequence[Draft]) -> Mapping[tuple[str, str], list[int]]:
    by_function: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number, draft in enumerate(drafts):
        by_function[draft.declaration.module, draft.declaration.function].append(number)
    return by_function


def _split(name: str) -> tuple[str, str]:
    module, _, function = name.rpartition(".")
    return module, function
