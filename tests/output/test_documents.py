"""JSON and YAML documents are one document each, whatever is in the data."""

from __future__ import annotations

import json
import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.documents import json_pieces, json_text, yaml_text

DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(DATA)
def test_json_is_read_back(data: object) -> None:
    """A JSON document means what went into it."""
    assert json.loads(json_text(data)) == data


@given(st.text(), st.dictionaries(st.text(), DATA, max_size=4))
def test_pieces_are_the_same_document(key: str, inner: dict[str, object]) -> None:
    """Written piece by piece, the document has the very text that it has when written whole."""
    assert "".join(json_pieces(key, inner.items())) == json_text({key: inner})


@given(DATA)
def test_yaml_is_read_back(data: object) -> None:
    """A YAML document means what went into it."""
    assert yaml.safe_load(yaml_text(data)) == data


def test_json_is_indented_as_salts() -> None:
    """Four blanks a level, as `salt-call --out json` writes it."""
    assert (
        json_text({"local": {"a": [1], "ä": True}})
        == json.dumps({"local": {"a": [1], "ä": True}}, indent=4, ensure_ascii=False) + "\n"
    )


def test_text_that_is_not_unicode_is_escaped() -> None:
    """A file name in another encoding comes out as an escape instead of an exception."""
    name = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert json.loads(json_text({name: [name]})) == {"caf\\udce9": ["caf\\udce9"]}
    assert yaml.safe_load(yaml_text({name: name})) == {"caf\\udce9": "caf\\udce9"}
    assert json.loads("".join(json_pieces("m", [(name, name)]))) == {"m": {"caf\\udce9": "caf\\udce9"}}


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_lacks_are_null(number: float) -> None:
    """Not-a-number and the infinities do not make a document that readers refuse."""
    assert json.loads(json_text({"n": number})) == {"n": None}


def test_yaml_keeps_the_order() -> None:
    """Keys keep their order; a text is never folded over several lines."""
    long = "word " * 100
    assert yaml_text({"b": 1, "a": long}) == f"b: 1\na: '{long}'\n"


def test_yaml_writes_shared_data_twice() -> None:
    """Data that occurs twice in a document gets no anchor in YAML."""
    shared = {"path": "/etc/motd"}

    text = yaml_text({"changes": shared, "new_state": shared})

    assert text == "changes:\n  path: /etc/motd\nnew_state:\n  path: /etc/motd\n"
