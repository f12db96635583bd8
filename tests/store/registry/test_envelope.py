"""The sealed form of a secret."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.errors import TamperedError, WrongKeyError
from ensue.store.registry import envelope
from ensue.store.registry.keys import key_id

KEY = b"k" * 32
KEYS = {key_id(KEY): KEY}


def _open(sealed: bytes, context: bytes = b"a") -> bytes:
    return envelope.unseal(sealed, keys=KEYS, context=context, what="it")


@given(plain=st.binary(max_size=200), context=st.binary(max_size=50))
def test_what_was_sealed_opens(plain: bytes, context: bytes) -> None:
    """Any bytes come back under the same key and context, and never stand in the envelope."""
    sealed = envelope.seal(plain, key=KEY, context=context)
    assert _open(sealed, context) == plain
    assert len(plain) < 4 or plain not in sealed


def test_no_two_envelopes_are_alike() -> None:
    """The same content sealed twice gives different bytes."""
    assert envelope.seal(b"x", key=KEY, context=b"a") != envelope.seal(b"x", key=KEY, context=b"a")


@pytest.mark.parametrize("bit", [0x01, 0x80])
def test_a_flipped_bit_anywhere_shows(bit: int) -> None:
    """One changed bit, at whatever place, is tampering: never another content, never another error."""
    sealed = envelope.seal(b"the content", key=KEY, context=b"a")
    for offset in range(len(sealed)):
        changed = bytearray(sealed)
        changed[offset] ^= bit
        with pytest.raises(TamperedError):
            _open(bytes(changed))


def test_a_shortened_envelope_shows() -> None:
    """An envelope cut at any byte, or with one more, does not open."""
    sealed = envelope.seal(b"the content", key=KEY, context=b"a")
    for length in range(len(sealed)):
        with pytest.raises(TamperedError):
            _open(sealed[:length])
    with pytest.raises(TamperedError):
        _open(sealed + b"x")


def test_another_context_does_not_open() -> None:
    """What was sealed with one context does not open with another."""
    with pytest.raises(TamperedError):
        _open(envelope.seal(b"x", key=KEY, context=b"a"), b"b")


def test_another_key_is_told_apart_from_tampering() -> None:
    """The error says that the key of the envelope is not at hand, with both ids."""
    other = b"o" * 32
    with pytest.raises(WrongKeyError, match=key_id(other).hex()):
        _open(envelope.seal(b"x", key=other, context=b"a"))
