"""Credentials of headers and of the queries of URLs are found by their syntax, in text and in data."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.masking import MASK, Masker, credentials, mask_credentials
from ensue.core.model.secret_values import mask_arguments, mask_config, secret_values

PAIR = base64.b64encode(b"user:pl4nted-word").decode()
NAMES = (
    "Authorization",
    "Proxy-Authorization",
    "X-Api-Key",
    "x-auth-token",
    "PRIVATE-TOKEN",
    "Cookie",
    "Set-Cookie",
    "api-key",
)
VALUES = {
    "Authorization": "Bearer pl4nted.tok_en-1",
    "Proxy-Authorization": f"Basic {PAIR}",
    "X-Api-Key": "pl4nted-key-1",
    "x-auth-token": "pl4nted-key-2",
    "PRIVATE-TOKEN": "glpat-pl4nted3",
    "Cookie": "sid=pl4nted-sid; theme=dark",
    "Set-Cookie": "sid=pl4nted-sid; Path=/; HttpOnly",
    "api-key": "pl4nted-key-4",
}
FORMS = (
    "{name}: {value}",
    "> {name}: {value}\r\n> Host: x",
    "curl -H '{name}: {value}' -H 'Accept: text/plain' https://host/",
    'curl -H "Accept: a" -H "{name}: {value}" https://host/',
    '{{"{name}": "{value}", "next": 1}}',
    '{{\\"{name}\\": \\"{value}\\"}}',
    "{{'{name}': '{value}'}}",
    "[('{name}', '{value}'), ('Accept', 'x')]",
    "{name}={value}",
    "- {name}: {value}",
    "{upper}: {value}",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", FORMS)
def test_a_header_in_text(name: str, form: str) -> None:
    """Nothing of the credential is left, whatever surrounds it, and the name of the header is."""
    text = form.format(name=name, upper=name.upper(), value=VALUES[name])
    masked = Masker().text(text)
    assert "pl4nted" not in masked
    assert PAIR not in masked
    assert name.lower() in masked.lower()
    assert Masker().text(masked) == masked
    for rest in ("Accept", "Host: x", "https://host/", "next"):
        assert (rest in masked) == (rest in text)


@pytest.mark.parametrize("name", NAMES)
def test_a_header_in_data(name: str) -> None:
    """As a key of a mapping, or as a line of a list, its value is a secret of pillar and arguments."""
    for data in ({"headers": {name: VALUES[name]}}, {"lines": [f"{name}: {VALUES[name]}"]}):
        assert "pl4nted" not in json.dumps(mask_arguments(data))
        assert PAIR not in json.dumps(mask_arguments(data))
        secrets: Any = secret_values(data)
        assert any("pl4nted" in secret for secret in secrets)
        masker = Masker()
        masker.add_from_urls(data)
        assert masker.knows_secrets
    assert mask_config({name: VALUES[name]}) == {name: MASK}


def test_the_password_of_basic_is_a_secret_of_its_own() -> None:
    """The base64 of a user and a password gives the password away, so it is masked everywhere."""
    masker = Masker()
    masker.add_from_urls({"Authorization": f"Basic {PAIR}"})
    assert masker.text(f"login pl4nted-word {PAIR}") == f"login {MASK} {MASK}"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("https://h/a?token=abc&b=1", f"https://h/a?token={MASK}&b=1"),
        ("https://h/a?b=1&access_token=abc#top", f"https://h/a?b=1&access_token={MASK}#top"),
        ("/a?api_key=abc'", f"/a?api_key={MASK}'"),
        ("https://h/?X-Amz-Signature=abc&x=y", f"https://h/?X-Amz-Signature={MASK}&x=y"),
        ("https://h/?client_secret=a%20b", f"https://h/?client_secret={MASK}"),
        ("uses Bearer abcdef12345, ok", f"uses Bearer {MASK}, ok"),
        (f"got Basic {PAIR} there", f"got Basic {MASK} there"),
        ("https://u:pw@h/?token=abc", f"https://u:{MASK}@h/?token={MASK}"),
    ],
)
def test_other_forms(text: str, masked: str) -> None:
    """Parameters of a URL, and schemes without a header, are recognised by their syntax."""
    assert Masker().text(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "authorization: enabled",
        "security:\n  authorization: disabled\n",
        "Authorization: required for this host",
        "Basic authentication is off, Basic configuration too",
        "Bearer authentication is on",
        "a cookie, sugar and flour",
        "cookie: true",
        "https://h/?page=2&sort=name",
        "x-api-key: ${resources.key.value}",
        "Authorization: Bearer {{ pillar['app'] }}",
        "https://h/?token=${resources.db.token}",
        "http://u:${resources.db.password}@h/",
        "tokens are good: yes",
        "x-forwarded-for: 10.0.0.1",
    ],
)
def test_what_is_no_credential(text: str) -> None:
    """Settings, prose, references and template expressions stay as they are."""
    assert Masker().text(text) == text
    assert list(credentials(text)) == []


@given(st.text(alphabet="AauthorizCookie:=,'\"\\?&; \nBearerbasic123-tokenx{}$", max_size=60))
def test_any_text(text: str) -> None:
    """Masking a masked text changes nothing."""
    masked = mask_credentials(text)
    assert mask_credentials(masked) == masked
