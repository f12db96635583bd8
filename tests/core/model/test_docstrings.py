"""Docstrings in Google's style, read part by part."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.docstrings import read_docstring

WHOLE = """Do a thing.

It does it well,
and once.

Args:
    ctx: the context.
    name, other: both of them,
        over two lines.
    **kwargs: the rest.

Returns:
    What it did:
    - one;
    - two.

Raises:
    ValueError: it cannot.

Example:
    x:
      mod.fun:
        - name: y

Notes:
    Mind the gap.

Differences from Salt:
    It works.

Source: Salt.
"""


def test_every_section_is_read() -> None:
    """Each section goes to its field; an entry over two lines is one text, and names may share a meaning."""
    read = read_docstring(WHOLE)
    assert read.summary == "Do a thing."
    assert read.text == "It does it well, and once."
    assert read.arguments == {
        "ctx": "the context.",
        "name": "both of them, over two lines.",
        "other": "both of them, over two lines.",
        "kwargs": "the rest.",
    }
    assert read.returns == "What it did:\n- one;\n- two."
    assert read.raises == {"ValueError": "it cannot."}
    assert read.example == "x:\n  mod.fun:\n    - name: y"
    assert (read.notes, read.differences) == ("Mind the gap.", "It works.")


def test_other_styles_are_text() -> None:
    """A docstring of a project's own file, in Salt's style, keeps its words."""
    read = read_docstring("Return it.\n\nCLI Example:\n\n.. code-block:: bash\n\n    salt '*' a.b")
    assert read.summary == "Return it."
    assert "    salt '*' a.b" in read.text
    assert not read.arguments


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    """No text is refused."""
    read_docstring(text)
