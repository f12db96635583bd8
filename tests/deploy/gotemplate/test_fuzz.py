"""No text makes the parser or the evaluator crash, and an error always has a place."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ensue.core.errors import GoTemplateError
from ensue.deploy.gotemplate import compile_template
from ensue.deploy.gotemplate.functions import FUNCTIONS

_SLOW = {"genCA", "genCAWithKey", "genPrivateKey", "genSelfSignedCert", "genSignedCert", "bcrypt", "htpasswd"}
_SLOW |= {"derivePassword", "genSelfSignedCertWithKey", "genSignedCertWithKey"}
_NAMES = sorted(set(FUNCTIONS) - _SLOW)
_WORDS = [
    "{{",
    "}}",
    "{{- ",
    " -}}",
    "if",
    "range",
    "with",
    "else",
    "end",
    "define",
    "block",
    "template",
    "break",
    "/*",
    "*/",
]
_VALUES = [
    '"a"',
    '"1.2.3"',
    '""',
    "`r`",
    "'c'",
    "1",
    "-3",
    "2.5",
    "1e400",
    "nil",
    "true",
    ".a",
    ".m",
    ".l",
    ".m.k",
    ".",
]
_MARKS = ["(", ")", "|", ",", ":=", "=", "$", "$x", "\n", "\\", '"', "'", "é", "\x00", "\ud800"]
_DATA = {"a": "text", "m": {"k": None, "n": 1}, "l": [1, "x", [2.5]]}

words = st.lists(st.sampled_from([*_WORDS, *_VALUES, *_MARKS, *_NAMES]), max_size=25)
calls = st.tuples(
    st.sampled_from(_NAMES), st.lists(st.sampled_from([*_VALUES, "(list 1 nil)", "(dict)"]), max_size=5)
)


def check(text: str) -> None:
    error = error_of(text)
    if error is not None:
        lines = text.split("\n")
        assert 1 <= error.span.line <= len(lines)
        assert 1 <= error.span.column <= len(lines[error.span.line - 1]) + 1


def error_of(text: str) -> GoTemplateError | None:
    try:
        compile_template(text, "t").render(_DATA)
    except GoTemplateError as error:
        return error
    return None


@given(st.text(max_size=60))
def test_any_text_parses_or_has_a_placed_error(text: str) -> None:
    """Text, and the same text as an action."""
    check(text)
    check("{{" + text + "}}")


@given(words)
@settings(max_examples=400)
def test_any_words_parse_or_have_a_placed_error(parts: list[str]) -> None:
    """What is nearly a template."""
    check(" ".join(parts))
    check("{{ " + " ".join(parts) + " }}")


@given(calls)
@settings(max_examples=1500, deadline=None)
def test_any_call_gives_a_text_or_a_placed_error(call: tuple[str, list[str]]) -> None:
    """Every function with arguments of any kind."""
    name, arguments = call
    check(f"{{{{ {name} {' '.join(arguments)} }}}}")
