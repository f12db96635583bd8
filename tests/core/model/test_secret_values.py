"""Which values of a configuration are secrets."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from ensue.core.model.secret_values import is_secret_key, mask_config, secret_text, secret_values

CONFIG = {
    "host": "10.0.0.1",
    "port": 22,
    "password": "p1",
    "Sudo-Password": "p2",
    "nested": {"list": [{"db_password": "p3", "user": "u"}, "text"], "token": ["t1", {"x": "t2"}]},
    "passphrase": None,
    "api_token": "",
    "priv_passwd": 1234,
    "private_key": b"k1",
    "gateway_private_key": "k2",
    "public_key": "shown",
    "password_file": "/shown",
}


def test_every_secret_is_found_at_any_depth() -> None:
    """Secrets are found by their keys, whatever the case, the dash, the depth and the type."""
    assert sorted(secret_values(CONFIG)) == ["1234", "k1", "k2", "p1", "p2", "p3", "t1", "t2"]


def test_a_masked_configuration_shows_everything_else() -> None:
    """Secrets become (sensitive); empty ones stay empty; the rest is as it was, and so is the original."""
    shown = mask_config(CONFIG)
    assert shown["nested"] == {
        "list": [{"db_password": "(sensitive)", "user": "u"}, "text"],
        "token": "(sensitive)",
    }
    assert (shown["host"], shown["port"], shown["public_key"]) == ("10.0.0.1", 22, "shown")
    assert (shown["passphrase"], shown["api_token"]) == (None, "")
    for secret in secret_values(CONFIG):
        assert secret not in str(shown)
    assert CONFIG["password"] == "p1"


def test_any_kind_of_mapping_is_looked_into() -> None:
    """A read-only view hides its secrets as a dictionary does."""
    config = MappingProxyType({"login": MappingProxyType({"password": "p1", "user": "u"})})
    assert secret_values(config) == ["p1"]
    assert mask_config(config) == {"login": {"password": "(sensitive)", "user": "u"}}


@pytest.mark.parametrize("key", ["password", "passwd", "private_key", "client_secret", "AUTH_TOKEN"])
def test_secret_keys(key: str) -> None:
    """The usual names are secret."""
    assert is_secret_key(key)


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("token=${one.stdout}", None),
        ("token: ${cmd:one:stdout}", None),
        ("password='{{ pillar.p }}'", None),
        ("token=a${one.stdout}", "a${one.stdout}"),
        ("token=abc", "abc"),
    ],
)
def test_a_reference_is_no_secret(line: str, secret: str | None) -> None:
    """What the author of an SLS writes in place of a secret is shown."""
    assert secret_text(line) == secret


@pytest.mark.parametrize("key", ["user", "host_key", "port", "identity_file", "tokens_per_second"])
def test_other_keys(key: str) -> None:
    """Names of things that everybody may know are not."""
    assert not is_secret_key(key)
