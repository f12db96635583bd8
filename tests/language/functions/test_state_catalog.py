"""What the compiler knows of a function that a `tgt` may call on resources of several types."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ensue.core.contracts.signature import Signature, WrittenText
from ensue.language.functions.state_catalog import StateCatalog

if TYPE_CHECKING:
    from ensue.language.functions.type_functions import TypeLoaders


class SignatureOfType:
    """The functions of one type: a single one.

    Args:
        its: what it accepts.
    """

    def __init__(self, its: Signature) -> None:
        self._its = its

    def signature(self, module: str, function: str) -> Signature:
        """Return what it accepts."""
        del module, function
        return self._its


class SignaturesByType:
    """The functions of all types; the first type is the target's own.

    Args:
        signatures: what the function of each type accepts.
    """

    def __init__(self, *signatures: Signature) -> None:
        self._types = [SignatureOfType(each) for each in signatures]

    def of(self, kind: str, type_name: str) -> SignatureOfType:
        """Return those of the target's own type."""
        del kind, type_name
        return self._types[0]

    def known(self, kind: str) -> list[SignatureOfType]:
        """Return those of all types."""
        del kind
        return self._types


def _signature(*names: str, **fields: object) -> Signature:
    return Signature(**{"names": frozenset(names), "required": frozenset(), "accepts_any": False, **fields})  # type: ignore[arg-type]


def _fanned(*signatures: Signature) -> Signature | None:
    loaders = cast("TypeLoaders", SignaturesByType(*signatures))
    return StateCatalog(loaders, "own").fanned_signature("module", "function", "*")


def test_of_types_that_share_a_function_all_is_known() -> None:
    """Whatever is known of a function that no type overrides is known of a fan-out, too."""
    shared = _signature("a", takes_words=True, requisites=(("require", ("x.y",)),), edits_part=True)
    again = _signature("a", takes_words=True, requisites=(("require", ("x.y",)),), edits_part=True)
    assert _fanned(shared, again) == shared


def test_an_argument_of_any_type_is_accepted() -> None:
    """An argument that the function of one type takes is not refused."""
    both = _fanned(
        _signature("a", outdated={"c": "a"}), _signature("b", takes_words=True, others_with="template")
    )
    assert both is not None
    assert (both.names, both.outdated, both.takes_words) == ({"a", "b"}, {"c": "a"}, True)
    assert both.others_with == "template"


def test_only_what_all_types_do_is_known() -> None:
    """A function edits a file, or writes a content, if it does so on every type, whatever their order."""
    whole = _signature("a", "b", edits_part=True, writes=WrittenText(("a", "b"), ("a",)))
    part = _signature("a", edits_part=False, writes=WrittenText(("b",), ()))
    for both in (_fanned(whole, part), _fanned(part, whole)):
        assert both is not None
        assert not both.edits_part
        assert both.writes == WrittenText(("b",), ())
