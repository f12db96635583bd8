"""References to secrets in the data of definitions."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ensue.core.model.unknown import Unknown
from ensue.deploy.provisioning.secret_refs import (
    SecretReference,
    misshapen_references,
    secret_references,
    with_secrets,
)

DATA: dict[str, Any] = {
    "password": {"store": "vault", "ref": "db/password", "version": 3},
    "left": None,
    "tls": {"key": {"store": "files", "ref": "tls.key", "version": None, "value": None}, "left": None},
    "given": {"deep": [{"value": "clear"}, {"store": "vault", "ref": "db/password", "version": "3"}]},
    "store": {"value": {"value": "named value"}},
    "number": {"value": 7},
}
PASSWORD = SecretReference(store="vault", ref="db/password", version="3")
KEY = SecretReference(store="files", ref="tls.key")


def test_references_are_found_once_at_any_depth() -> None:
    """The same secret of the same version is one reference; nulls and values in the clear are none."""
    assert secret_references(DATA) == [PASSWORD, KEY]
    assert misshapen_references(DATA) == []
    assert secret_references(None) == []


def test_values_take_the_place_of_references() -> None:
    """A value stays the text that it is, and nulls are left out at any depth."""
    values = {PASSWORD: '{"store": "vault", "ref": "x"}', KEY: "${context.app.id}"}
    assert with_secrets(DATA, values) == {
        "password": '{"store": "vault", "ref": "x"}',
        "tls": {"key": "${context.app.id}"},
        "given": {"deep": ["clear", '{"store": "vault", "ref": "x"}']},
        "store": {"value": "named value"},
        "number": 7,
    }
    assert with_secrets(None, {}) == {}


def test_a_reference_that_is_not_known_yet_names_its_store() -> None:
    """Its store can be checked; it is shown as it is written."""
    ref = Unknown("${resources.vault-path.outputs.path}")
    (reference,) = secret_references({"password": {"store": "vault", "ref": ref}})
    assert (reference.store, reference.ref, reference.is_known) == ("vault", ref.reference, False)


@pytest.mark.parametrize(
    ("data", "keys", "what"),
    [
        ({"a": {"store": "s"}}, ("a",), "it has no ref"),
        ({"a": {"b": {"store": "s", "reff": "x"}}}, ("a", "b"), "has store, ref and version, .* has reff"),
        ({"a": {"store": "s", "ref": []}}, ("a",), "ref is no text"),
        ({"a": "hunter2"}, ("a",), "neither .* nor"),
        ({"a": {"ref": "x"}}, ("a", "ref"), "neither .* nor"),
        ("text", (), "neither .* nor"),
        ({"a": {"store": "s", "ref": "x", "value": "y"}}, ("a",), "has value"),
    ],
)
def test_what_is_no_reference_is_said(data: Any, keys: tuple[str, ...], what: str) -> None:
    """Each malformed reference is named by its path; its value is not shown."""
    (fault,) = misshapen_references(data)
    assert fault.keys == keys
    assert re.search(what, fault.what)
    assert "hunter2" not in fault.what
    assert secret_references(data) == []
