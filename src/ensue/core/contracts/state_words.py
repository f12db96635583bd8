"""The documentation of a word that every state takes, whatever its function is: a requisite or an option."""

from __future__ import annotations

from typing import Literal

import msgspec


class StateWordDoc(msgspec.Struct, frozen=True, kw_only=True):
    """One word.

    Args:
        name: the word.
        kind: `requisites`: it names other states; `options`: it says how this one runs.
        takes: the values that it takes, in words.
        meaning: what it does.
        example: an SLS with it.
        page: the page of the documentation that explains it, without `.md`; empty if there is none.
    """

    name: str
    kind: Literal["requisites", "options"]
    takes: str
    meaning: str
    example: str
    page: str = ""
