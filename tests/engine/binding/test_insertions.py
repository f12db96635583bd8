"""Values in templates: a placeholder for each line of a text, which the line replaces afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.core.errors import StateFailedError
from ensue.engine.binding.insertions import Insertions


@pytest.mark.parametrize("value", ["a", "a\nb\n", "{{ x }}", b"{{ x }}", ["{{ x }}", ["a", 1]]])
def test_a_text_is_not_seen_by_a_renderer(value: Any) -> None:
    """Its lines are hidden, its line ends are not, and what is inserted is the text again."""
    insertions = Insertions()
    held = insertions.held(value)
    assert "{{" not in repr(held)
    text = value.decode() if isinstance(value, bytes) else value
    assert repr(held).count("\\n") == repr(text).count("\\n")
    assert insertions.inserted(held) == text


@pytest.mark.parametrize("value", [None, True, 1, 1.5, b"\xff", {"a": "b"}])
def test_what_is_no_text_is_unchanged(value: Any) -> None:
    """Numbers, truth values and bytes that are not text are harmless to every renderer."""
    assert Insertions().held(value) == value


@pytest.mark.parametrize(
    "template", ["{% if a %}VALUE{% endif %} {{ a }}", "{# VALUE #}", "VALUE {{ 'a }}", "{{ a }}"]
)
def test_a_template_may_have_a_value_outside_of_its_expressions(template: str) -> None:
    """What cannot be read as a template is reported where it is rendered."""
    insertions = Insertions()
    insertions.check(template.replace("VALUE", insertions.held("secret text")), "web.conf")


@pytest.mark.parametrize("template", ["{{ VALUE }}", "a\n{% if VALUE %}{% endif %}"])
def test_a_template_computes_with_no_value_that_is_inserted_later(template: str) -> None:
    """The error names the line of the template."""
    insertions = Insertions()
    with pytest.raises(StateFailedError, match=rf"web\.conf, line {template.count(chr(10)) + 1}: "):
        insertions.check(template.replace("VALUE", insertions.held("secret text")), "web.conf")
