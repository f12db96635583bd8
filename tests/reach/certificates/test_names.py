"""Distinguished names and extensions, from what users write."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography import x509

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.names import (
    ATTRIBUTES,
    EXTENSIONS,
    LONG_EXTENSIONS,
    attributes,
    extension_name,
    extensions,
    name_of,
    with_short_names,
)


def test_long_names_become_short() -> None:
    """Those of attributes, of extensions and of the digest; others stay."""
    assert with_short_names({"commonName": "a", "X509v3 Key Usage": "b", "algorithm": "c", "x": "d"}) == {
        "CN": "a", "keyUsage": "b", "digest": "c", "x": "d",
    }  # fmt: skip
    assert {*with_short_names(dict.fromkeys(LONG_EXTENSIONS))} <= {*EXTENSIONS}


def test_attributes_are_taken_out() -> None:
    """By their short names, as text."""
    given: dict[str, Any] = {"commonName": "a", "SN": 5, "keyUsage": "b"}
    assert attributes(given) == {"CN": "a", "SN": "5"}
    assert given == {"keyUsage": "b"}
    assert len(attributes(dict.fromkeys(ATTRIBUTES, "x"))) == 12


@pytest.mark.parametrize(
    ("subject", "plain", "expected"),
    [
        ("CN=a,O=b\\, c,C=DE", {}, "CN=a,O=b\\, c,C=DE"),
        (["C=DE", "O=b", "CN=a"], {}, "CN=a,O=b,C=DE"),
        ({"commonName": "a", "C": "DE"}, {}, "CN=a,C=DE"),
        (None, {"CN": "a", "C": "DE", "O": ""}, "CN=a,C=DE"),
        ("", {"CN": "a"}, "CN=a"),
        ([], {}, ""),
        (None, {}, None),
        ({}, {}, None),
    ],
)
def test_a_name_may_be_written_in_several_ways(
    subject: Any, plain: dict[str, str], expected: str | None
) -> None:
    """As text of RFC 4514, a list, a mapping, or separate arguments."""
    name = name_of(subject, plain)
    assert (None if name is None else name.rfc4514_string()) == expected


@pytest.mark.parametrize(
    "subject", ["no name", "CN", "XY=a", {"C": "Germany"}, ["CN=a", 5], {"CN": "a" * 65}]
)
def test_a_name_that_is_none_is_refused(subject: Any) -> None:
    """By the library's words."""
    with pytest.raises(StateFailedError, match="the name of the certificate is invalid: "):
        name_of(subject, {})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("CA:true", "CA:true"),
        ("critical, CA:true", "critical, CA:true"),
        ("critical CA:true", "critical,CA:true"),
        (["critical", "keyAgreement", "cRLSign "], "critical,keyAgreement,cRLSign"),
        ({"critical": True, "ca": True, "pathlen": 1}, "critical,ca:true,pathlen:1"),
        ({"critical": False, "value": ["a", "b"]}, "['a', 'b']"),
        ({"value": "DNS:a", "critical": True}, "critical,DNS:a"),
        ([{"caIssuers;URI": "http://a"}, True], "caIssuers;URI:http://a,true"),
    ],
)
def test_an_extension_may_be_written_in_several_ways(value: Any, expected: str) -> None:
    """As text, a list or a mapping; `critical` comes first, and other arguments stay."""
    given = {"keyUsage": value, "CN": "a"}
    assert extensions(given) == f"[extensions]\nkeyUsage = {expected}"
    assert given == {"CN": "a"}


def test_extensions_are_one_line_each() -> None:
    """No value opens a section of its own."""
    assert extensions({}) == "[extensions]"
    for value in ("a\n[b]", ["a", "b\nc"], {"a": "b\nc"}, {"a\nb": "c"}):
        with pytest.raises(StateFailedError, match="nsComment must be one line"):
            extensions({"nsComment": value})


def test_extensions_are_called_as_in_the_standard() -> None:
    """An unknown one by its numbers."""
    assert extension_name(x509.ExtensionOID.SUBJECT_ALTERNATIVE_NAME) == "subjectAltName"
    assert extension_name(x509.ExtensionOID.CRL_DISTRIBUTION_POINTS) == "cRLDistributionPoints"
    assert extension_name(x509.ObjectIdentifier("1.2.3.4")) == "1.2.3.4"
