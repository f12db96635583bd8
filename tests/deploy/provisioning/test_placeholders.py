"""The grammar of placeholders: what each means, and that no text makes the reader fail."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ensue.deploy.provisioning.identity import Descriptor
from ensue.deploy.provisioning.placeholder_values import (
    DEFINITION,
    ContextField,
    Dialect,
    PathPart,
    PathRefusal,
    ResourceReference,
    ResourceSelection,
    context_meaning,
    each_meaning,
)
from ensue.deploy.provisioning.placeholders import Placeholder, PlaceholderText, parse_text
from ensue.deploy.provisioning.unknown_placeholders import meant_placeholder

PIECES = st.sampled_from(
    [
        "${", "$${", "$\\{", "}", "resources", "context", ".", "['", "']", '["', '"]', "[0]", "#", ">", "<",
        "outputs", "guresid", "values", "app.id", "a", " ", "\n", "\\", "é", "$", "{", "shared.db", "\ud800",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=24).map("".join), st.text(max_size=60))


@given(TEXTS)
@example("${resources.a")
@example("${resources['a")
@example("$\\{${context.app.id}")
def test_any_text_has_a_reading_and_every_part_a_span(text: str) -> None:
    """No text makes the reader fail; every placeholder and every error is where its span says."""
    parsed, faults = parse_text(text, DEFINITION)
    for fault in faults:
        assert fault.text
        assert text[fault.start : fault.end] == fault.text
    if isinstance(parsed, str):
        assert parsed == text
        return
    placeholders = [part for part in parsed.parts if isinstance(part, Placeholder)]
    assert all(text[placeholder.start : placeholder.end] == placeholder.text for placeholder in placeholders)
    assert [placeholder.start for placeholder in placeholders] == sorted(
        {placeholder.start for placeholder in placeholders}
    )


@given(TEXTS)
def test_text_without_a_known_word_stays_as_it_is(text: str) -> None:
    """A dialect that knows no word changes nothing but the escape that is always one."""
    parsed, _ = parse_text(text, Dialect({}))
    shown = "".join(map(str, parsed.parts)) if isinstance(parsed, PlaceholderText) else parsed
    assert shown == text.replace("$\\{", "${")


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("${context.app.id}", ContextField("app.id")),
        ("${ context.res.class }", ContextField("res.class")),
        ("${resources.dns.outputs.host}", ResourceReference(Descriptor("dns"), "outputs", ("host",))),
        (
            "${resources.dns.public.outputs.a.b}",
            ResourceReference(Descriptor("dns", "public"), "outputs", ("a", "b")),
        ),
        (
            "${resources['dns.public#shared.dns'].outputs.host}",
            ResourceReference(Descriptor("dns", "public", "shared.dns"), "outputs", ("host",)),
        ),
        (
            '${resources["dns#shared.dns"].outputs["a.b"][0]}',
            ResourceReference(Descriptor("dns", None, "shared.dns"), "outputs", ("a.b", "0")),
        ),
        (
            "${resources.base-env#base-env.outputs.pghost}",
            ResourceReference(Descriptor("base-env", None, "base-env"), "outputs", ("pghost",)),
        ),
        (
            "${resources.s3#shared.s3.guresid}",
            ResourceReference(Descriptor("s3", None, "shared.s3"), "guresid"),
        ),
        ("${resources.config.account}", ResourceReference(Descriptor("config"), "account")),
        ("${resources.config.values}", ResourceReference(Descriptor("config"), "values")),
        (
            "${resources.workload>aws-policy.outputs.name}",
            ResourceSelection(Descriptor("workload"), ((">", "aws-policy"),), "outputs", ("name",)),
        ),
        (
            "${resources['dns.public#shared.dns<route'].outputs.path}",
            ResourceSelection(
                Descriptor("dns", "public", "shared.dns"), (("<", "route"),), "outputs", ("path",)
            ),
        ),
        (
            "${resources.workload>s3>aws-policy<role.outputs.arn}",
            ResourceSelection(
                Descriptor("workload"),
                ((">", "s3"), (">", "aws-policy"), ("<", "role")),
                "outputs",
                ("arn",),
            ),
        ),
    ],
)
def test_a_placeholder_means(text: str, meaning: object) -> None:
    """Each form of a placeholder means what the resource graph document says."""
    parsed, faults = parse_text(text, DEFINITION)
    assert not faults
    assert isinstance(parsed, PlaceholderText)
    assert parsed.whole is not None
    assert parsed.whole.meaning == meaning


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("$${context.app.id}", ("${context.app.id}",)),
        ("$\\{context.app.id}", ("${context.app.id}",)),
        ("$\\{HOME}", ("${HOME}",)),
    ],
)
def test_an_escape_is_text(text: str, parts: tuple[str, ...]) -> None:
    """An escaped placeholder is the text of one."""
    parsed, faults = parse_text(text, DEFINITION)
    assert not faults
    assert isinstance(parsed, PlaceholderText)
    assert parsed.parts == parts


def test_what_follows_an_escape_is_read() -> None:
    """A placeholder within an escaped one counts."""
    parsed, _ = parse_text("$\\{a ${context.app.id}}", DEFINITION)
    assert isinstance(parsed, PlaceholderText)
    assert [part for part in parsed.parts if isinstance(part, Placeholder)]


def test_a_double_dollar_in_front_of_another_word_stays() -> None:
    """`$${HOME}` means something to a shell, so it stays as it is, without a warning."""
    assert parse_text("$${HOME}", DEFINITION) == ("$${HOME}", ())


SCORE = Dialect({"context": context_meaning}, "score")
COMMAND = SCORE._replace(grammar="passed_on")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("abc", "abc"),
        ("$abc", "$abc"),
        ("abc $$ abc", "abc $ abc"),
        ("$${abc}", "${abc}"),
        ("$$$$", "$$"),
        ("$$$${abc}", "$${abc}"),
        ("$${abc .4t3298y *(^&(*}", "${abc .4t3298y *(^&(*}"),
        ("$${a $$ b}$$", "${a $$ b}$"),
        ("$${context.app.id}", "${context.app.id}"),
        ("$${a ${context.app.id}}", "${a ${context.app.id}}"),
        ("$${context", "${context"),
        ("${context", "${context"),
        ("$\\{HOME}", "$\\{HOME}"),
        ("\\$\\{HOME}", "\\$\\{HOME}"),
    ],
)
def test_dollars_of_a_score_file(text: str, shown: str) -> None:
    """`$$` is `$`, the inside of `$${…}` is not searched, and an open `${` is text, as in score-go."""
    parsed, faults = parse_text(text, SCORE)
    assert not faults
    assert (parsed if isinstance(parsed, str) else "".join(map(str, parsed.parts))) == shown


def test_a_placeholder_after_two_dollars() -> None:
    """`$$` is read from the left: of three dollars, the last one begins a placeholder."""
    parsed, faults = parse_text("$$${context.app.id}", SCORE)
    assert not faults
    assert isinstance(parsed, PlaceholderText)
    dollar, placeholder = parsed.parts
    assert dollar == "$"
    assert isinstance(placeholder, Placeholder)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("echo $$ ${HOME} $(date)", "echo $$ ${HOME} $(date)"),
        ("echo $${HOME}", "echo ${HOME}"),
        ("echo $\\{HOME}", "echo $\\{HOME}"),
        ("for c in ${context} ${context.nothing}", "for c in ${context} ${context.nothing}"),
    ],
)
def test_a_text_that_is_passed_on(text: str, shown: str) -> None:
    """In a command only `$${` is an escape, and what has no meaning is literal text."""
    parsed, _ = parse_text(text, COMMAND)
    assert (parsed if isinstance(parsed, str) else "".join(map(str, parsed.parts))) == shown


def test_a_placeholder_in_a_text_that_is_passed_on() -> None:
    """A placeholder with a meaning counts in a command, too."""
    parsed, faults = parse_text("${context.app.id}", COMMAND)
    assert not faults
    assert isinstance(parsed, PlaceholderText)
    assert parsed.whole is not None


@given(TEXTS, st.sampled_from([SCORE, COMMAND]))
def test_any_text_of_a_score_file_has_a_reading(text: str, dialect: Dialect) -> None:
    """No text makes the reader fail, and every fault is where its span says."""
    parsed, faults = parse_text(text, dialect)
    assert all(text[fault.start : fault.end] == fault.text for fault in faults)
    if isinstance(parsed, PlaceholderText):
        placeholders = [part for part in parsed.parts if isinstance(part, Placeholder)]
        assert all(
            text[placeholder.start : placeholder.end] == placeholder.text for placeholder in placeholders
        )


def test_an_unknown_word_is_text_with_a_remark() -> None:
    """A placeholder within one of another language is found."""
    parsed, (fault,) = parse_text("${HOME:-${context.app.id}}", DEFINITION)
    assert fault.refusal is None
    assert isinstance(parsed, PlaceholderText)
    assert parsed.parts[0] == "${HOME:-"


@pytest.mark.parametrize(
    "text",
    [
        "${resources}",
        "${resources.}",
        "${resources.a}",
        "${resources.a.outputs}",
        "${resources.a.guresid.b}",
        "${resources.a>b.c.outputs.d}",
        "${resources.a>.outputs.b}",
        "${resources['a'.outputs.b}",
        "${resources.a b.outputs.c}",
        "${resources.#x.outputs.b}",
        "${resources.a.outputs.b",
        "${context}",
        "${context.app}",
    ],
)
def test_a_malformed_placeholder_is_refused(text: str) -> None:
    """What begins with a known word and is malformed is a fault, never text without a word."""
    _, faults = parse_text(text, DEFINITION)
    assert [isinstance(fault.refusal, PathRefusal) for fault in faults] == [True]


@pytest.mark.parametrize(
    ("text", "dialect", "advice"),
    [
        ("${var.size}", SCORE, "read ${resources.env.size} of a resource `env`"),
        ("${data.zone}", SCORE, "read ${resources.NAME.OUTPUT}"),
        ("${var.size}", DEFINITION, "a definition has no variables"),
        ("${aws_instance.web.id}", DEFINITION, "an output of another resource is"),
    ],
)
def test_an_expression_of_terraform_names_its_placeholder(text: str, dialect: Dialect, advice: str) -> None:
    """A variable is a value of the environment, and an attribute is an output of a resource."""
    assert advice in meant_placeholder(text, dialect)


@pytest.mark.parametrize(
    ("path", "help_"),
    [("key.a", "write ${each.key}, or ${each.value.NAME}"), ("index", "write ${each.key} or ${each.value}")],
)
def test_an_item_has_a_key_and_a_value(path: str, help_: str) -> None:
    """A key has nothing below it."""
    refusal = each_meaning([PathPart(part) for part in path.split(".")])
    assert isinstance(refusal, PathRefusal)
    assert refusal.help == help_
