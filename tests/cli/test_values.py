"""What the words of a command line mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import pytest

from ensue.cli.values import argument, call_arguments, joined_assignments, merged_pillar

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("1.5", 1.5),
        ("true", True),
        ("None", None),
        ("text", "text"),
        ("'quoted'", "quoted"),
        ("", ""),
        (" ", " "),
        ("1_000", "1_000"),
        ("[a, 1]", ["a", 1]),
        ("{a: 1}", {"a": 1}),
        ("a: 1", "a: 1"),
        ("- a", "- a"),
        ("echo x # y", "echo x # y"),
        ("# only", "# only"),
        ("two\nlines: x", "two\nlines: x"),
        ("a\tb", "a\tb"),
        ("2024-01-02", "2024-01-02"),
        ("[unclosed", "[unclosed"),
        ("---", "---"),
        ("*", "*"),
        ("cat /etc/openvpn/client.ovpn", "cat /etc/openvpn/client.ovpn"),
    ],
)
def test_an_argument_is_read_as_salt_reads_it(text: str, value: Any) -> None:
    """Each of these words has the value that salt-call gives it."""
    read = argument(text)
    assert read == value
    assert type(read) is type(value)


def test_keywords_are_told_from_text() -> None:
    """`name=value` is a keyword; a comparison, a blank before the sign or a path is not."""
    assert call_arguments(["a=1", "b=x=y", "c==d", "echo a=b", "1a=2", "-x=1", "e="]) == (
        ["c==d", "echo a=b", "1a=2", "-x=1"],
        {"a": 1, "b": "x=y", "e": ""},
    )


def test_pillar_nests_and_merges(tmp_path: Path) -> None:
    """Colons nest, values are YAML, later ones win, mappings merge, files come first."""
    file = tmp_path / "pillar.json"
    file.write_text('{"a": {"b": 0, "k": 1}, "list": [1]}')
    assert merged_pillar(
        [file], ["a:b=2", "a:c=[x, y]", "{d: {e: 1}}", "d: {f: 2}", "empty=", "url=a=b"]
    ) == {
        "a": {"b": 2, "k": 1, "c": ["x", "y"]},
        "list": [1],
        "d": {"e": 1, "f": 2},
        "empty": "",
        "url": "a=b",
    }


def test_several_values_in_one_assignment_are_noticed() -> None:
    """Each word is a key with its value, as in Ansible; a text with a blank is no such list."""
    assert joined_assignments(["a=1 b=2", "a:b=x  c=", "cmd=ls -l", "url=a=b", "{a: 1}", "m='a=1 b=2'"]) == [
        "a",
        "a:b",
    ]


@pytest.mark.parametrize("text", ["just-text", "a::b=1", "=1", "[1, 2]", "a=[", "{a: 1"])
def test_what_is_no_pillar_is_refused(text: str) -> None:
    """Text, a list, an empty key or broken YAML is refused with the words that were given."""
    with pytest.raises(click.BadParameter) as refused:
        merged_pillar([], [text])
    assert text in refused.value.format_message()


@pytest.mark.parametrize("content", [b"- a\n", b"a: [\n", b"\xff\xfe"])
def test_a_pillar_file_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    """A file that is no mapping, no YAML or no text is refused by its name."""
    file = tmp_path / "p.yaml"
    file.write_bytes(content)
    with pytest.raises(click.BadParameter, match=r"p\.yaml"):
        merged_pillar([file], [])
    with pytest.raises(click.BadParameter, match="gone"):
        merged_pillar([tmp_path / "gone"], [])
