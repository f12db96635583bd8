"""What a masker hides: whole values, parts of texts, lines, forms; and what it leaves alone."""

from __future__ import annotations

import json
import shlex
from pathlib import PurePosixPath
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.masking import MASK, Masker

KEY = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIIIaaaabbbbccccdddd\na1b2c3==\nQw==\n-----END--"
ENV = "A=1\nB=2\nPIN=abc\n}\nend\n"


def guessed(*values: str) -> Masker:
    """Return a masker of values that are secrets by the names of their keys."""
    masker = Masker()
    masker.add_guessed(*values)
    return masker


@pytest.mark.parametrize(
    "secret",
    ["p4ss'word", 'p4ss"word', "p4ss\\word", "p4ss\nword", "p4ß€word", "p%4s/s+word", "p4 ss\tw'o\"rd\\"],
)
def test_a_secret_is_found_in_every_form_that_ensue_writes(secret: str) -> None:
    """Escaped for JSON, shown by repr, quoted for a shell, a URL, YAML: a secret is found."""
    masker = Masker([secret])
    forms = [
        json.dumps({"k": f"x{secret}"}),
        json.dumps({"k": secret}, ensure_ascii=False),
        repr({"k": secret}),
        ascii([secret]),
        repr(secret.encode()),
        repr(f"'\"{secret}"),
        f"cmd {shlex.quote(secret)}",
        f"http://host/?{urlencode({'q': secret})}",
        f"http://host/{quote(secret, safe='')}",
        f"key: '{secret.replace(chr(39), 2 * chr(39))}'",
        f"http://host/path/{quote(secret)}",
        "* * * * * " + secret.replace("%", "\\%"),
        json.dumps(json.dumps({"k": secret})),
        repr(repr({"k": secret})),
    ]
    for form in forms:
        masked = masker.text(form)
        assert MASK in masked
        assert "p4" not in masked
        assert "rd" not in masked


@pytest.mark.parametrize("sign", ["", "+", "-", " ", "    ", "> "])
def test_short_lines_are_hidden_beside_their_neighbours(sign: str) -> None:
    """The short lines of a secret are hidden where they follow each other, as in a diff or a log."""
    text = "".join(f"{sign}{line}\n" for line in ("unknown", *ENV.splitlines()))
    masked = Masker([ENV]).text(text)
    assert masked == f"{sign}unknown\n" + f"{sign}{MASK}\n" * 5


def test_the_short_last_line_of_a_key_is_hidden() -> None:
    """The end of a private key is hidden after the line before it, and where it is a whole value."""
    masker = Masker([KEY])
    assert masker.text("see:\n a1b2c3==\n Qw==\n") == f"see:\n {MASK}\n {MASK}\n"
    assert masker.data({"stdout": "Qw==", "lines": ["a1b2c3==", "Qw=="]}) == {
        "stdout": MASK,
        "lines": [MASK, MASK],
    }


def test_lines_are_found_within_text_that_was_escaped() -> None:
    """Lines that follow each other are hidden in JSON too, where a line's end is written out."""
    assert Masker([ENV]).text(json.dumps("x\nA=1\nB=2\nPIN=abc")) == f'"x\\n{MASK}\\n{MASK}\\n{MASK}"'


def test_ordinary_lines_are_left_alone() -> None:
    """A bracket, a word, a heading of a secret document hide nothing elsewhere, alone or repeated."""
    masker = Masker(['{\n"a": "hunter22",\n"l": [\n[\n]\n]\n}\n}\nend\nend\nservers:\n[section]\n'])
    text = "}\n}\n}\n]\n]\nend\nend\nend\nservers:\n[section]\nprose"
    assert masker.text(text) == text
    assert masker.data(["}", "end", "servers:"]) == ["}", "end", "servers:"]


def test_lines_that_do_not_follow_each_other_in_the_secret_are_left_alone() -> None:
    """In another order, or with another line between them, short lines of a secret are ordinary text."""
    masker = Masker(["U=ab1\nPORT=12\nCODE=34\n"])
    for text in ("PORT=12\nU=ab1\n", "U=ab1\nprose\nPORT=12\n", "U=ab1\nCODE=34\n"):
        assert masker.text(text) == text
    assert masker.text("U=ab1\n\nPORT=12\n") == f"{MASK}\n\n{MASK}\n"


@pytest.mark.parametrize("masker", [Masker([" ab\n"]), guessed(" ab\n")])
def test_a_short_secret_is_hidden_without_its_line_end(masker: Masker) -> None:
    """A secret out of a file ends with a line end, which a text that shows it may not have."""
    assert masker.data({"as it is": " ab\n", "stripped": "ab", "within": "cab"}) == {
        "as it is": MASK,
        "stripped": MASK,
        "within": "cab",
    }


def test_what_is_known_by_a_name_alone_hides_ordinary_words_only_as_a_whole() -> None:
    """A short value that a key's name gives away is hidden only where it is a whole value."""
    masker = guessed("root", "12", "1234", "longenough")
    assert masker.text("the root of 1234 longenough things") == f"the root of 1234 {MASK} things"
    assert masker.data({"root": "root", "retcode": 12, "pin": 1234, "name": " root\n"}) == {
        "root": MASK,
        "retcode": 12,
        "pin": MASK,
        "name": MASK,
    }
    assert masker.within("root") == "root"


def test_a_secret_that_holds_another_is_hidden_whole() -> None:
    """The longest secret at a place is the one that is replaced."""
    assert Masker(["hunter22", "hunter22-hunter33"]).text("a hunter22-hunter33 b") == f"a {MASK} b"


def test_objects_are_masked_as_their_text() -> None:
    """A path, a key that is bytes, a mapping of another kind: none shows what its text would."""
    masker = Masker(["hunter22"])
    assert masker.data({"p": PurePosixPath("/x/hunter22"), b"hunter22": 1, ("hunter22",): 2}) == {
        "p": f"/x/{MASK}",
        MASK: 1,
        f"('{MASK}',)": 2,
    }
    assert masker.data(
        {"out": b"pw hunter22\xff", "set": {"hunter22"}, "pair": ("hunter22", None, True)}
    ) == {
        "out": f"pw {MASK}\\xff",
        "set": [MASK],
        "pair": [MASK, None, True],
    }


def test_keys_that_become_the_same_stay_apart() -> None:
    """Two keys whose secrets are hidden are still two entries."""
    assert Masker(["hunter22", "hunter33"]).data({"hunter22": 1, "hunter33": 2}) == {MASK: 1, f"{MASK} #2": 2}


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("amqp://u:p@host/v", f"amqp://u:{MASK}@host/v"),
        ("redis://:pw@host", f"redis://:{MASK}@host"),
        ("http://u:p@ss@host/", f"http://u:{MASK}@host/"),
        ("pg://u:pa/ss@host/d", f"pg://u:{MASK}@host/d"),
        ("'http://u:a@b', 'ftp://u:b@c'", f"'http://u:{MASK}@b', 'ftp://u:{MASK}@c'"),
        ("http://host:80/a@b", "http://host:80/a@b"),
        ("https://git@host/x:y", "https://git@host/x:y"),
        ("http://host:80 and me@there", "http://host:80 and me@there"),
    ],
)
def test_passwords_of_urls_need_not_be_known(text: str, masked: str) -> None:
    """A password in a URL is hidden by the syntax alone, and a port is none."""
    masker = Masker()
    assert masker.text(text) == masked
    assert masker.text(masked) == masked


def test_a_url_that_was_seen_gives_its_password_away_nowhere_else() -> None:
    """The password of a URL is a secret in other texts too, with its percent escapes resolved."""
    masker = Masker()
    masker.add_from_urls({"remotes": ["https://u:s%2Fcret-word@host/x", 'pg://u:quo"ted-word@host']})
    assert masker.text("login s/cret-word s%2Fcret-word") == f"login {MASK} {MASK}"
    assert masker.text('pw quo"ted-word') == f"pw {MASK}"


def test_urls_are_looked_for_everywhere_in_data() -> None:
    """The password of a URL is found in keys, in tuples and at any depth."""
    masker = Masker()
    masker.add_from_urls(
        {"pg://u:key-word1@host": [("pg://u:key-word2@host", {"x": "pg://u:key-word3@host"})]}
    )
    assert masker.text("key-word1 key-word2 key-word3 key-word4") == f"{MASK} {MASK} {MASK} key-word4"


def test_the_lines_of_a_text_have_no_part_of_a_longer_secret() -> None:
    """Lines that have a secret of several lines together are one line; each keeps its end."""
    masker = Masker([ENV, "a\nb12\nc", "hunter22"])
    assert masker.lines(["x\n", "y a\r\n", "b12\n", "c z\n", "d"]) == [
        ("x\n", "x\n"), ("y a\r\nb12\nc z\n", f"y {MASK} z\n"), ("d", "d"),
    ]  # fmt: skip
    assert masker.lines([" a", " b12", " c5678", ""])[1:] == [
        (" b12", " b12"),
        (" c5678", " c5678"),
        ("", ""),
    ]
    assert masker.lines(["a", "pw hunter22", "c"])[1] == ("pw hunter22", f"pw {MASK}")
    assert {text for _, text in masker.lines([f"  {line}" for line in ENV.splitlines()])} == {f"  {MASK}"}
    assert masker.lines(["hunter22"]) == [("hunter22", MASK)]
    assert masker.lines([]) == []
    assert Masker().lines(["pg://u:hunter22@h"]) == [("pg://u:hunter22@h", f"pg://u:{MASK}@h")]


@given(st.lists(st.text(min_size=4, max_size=12), min_size=1, max_size=6), st.text(max_size=8))
def test_no_secret_survives(secrets: list[str], around: str) -> None:
    """Whatever the secrets and the text around them, none is left in it, unless the mask itself holds it."""
    masked = Masker(secrets).text(around + around.join(secrets) + around)
    for secret in secrets:
        assert secret not in masked.replace(MASK, "\0") or secret in MASK


def test_a_value_that_is_secret_by_its_place_hides_no_name() -> None:
    """A short one is masked where it is a whole value, and not as a name or in a text."""
    masker = Masker()
    masker.add_values("web", "longer")
    assert (masker.text("web"), masker.within("web"), masker.text("a web")) == (MASK, "web", "a web")
    assert masker.within("a longer one") == f"a {MASK} one"


def test_content_with_a_secret_is_recognised() -> None:
    """The whole content, apart from blanks at its ends, or a part of it."""
    masker = Masker()
    assert not masker.is_in(b"abc")
    masker.add("abc", "longer")
    assert [masker.is_in(content) for content in (b"abc\n", b"x abc", b"x longer", b"\xff longer", b"")] == [
        True, False, True, True, False,
    ]  # fmt: skip


def test_a_short_secret_stays_in_names_and_goes_in_values() -> None:
    """An ID that equals a short secret stays; the same text is hidden where it is a value."""
    masker = guessed("vagrant", "test")
    assert (masker.name("vagrant"), masker.text("vagrant")) == ("vagrant", MASK)
    assert masker.tag("test_|-vagrant_|-vagrant_|-nop") == "test_|-vagrant_|-vagrant_|-nop"


def test_a_long_secret_stays_in_names_if_an_sls_contains_it() -> None:
    """`password: webserver` hides no state `webserver` of an SLS, and hides one that was rendered from it."""
    masker = guessed("webserver", "correct-horse")
    assert masker.name("webserver") == MASK
    masker.add_source("webserver:\n  pkg.installed: []\n{{ pillar.password }}:\n  test.nop: []\n")
    assert masker.name("webserver") == "webserver"
    assert masker.name("deploy webserver of correct-horse") == "deploy webserver of (sensitive)"
    assert masker.text("webserver") == MASK
    assert masker.tag("m_|-webserver_|-webserver_|-f") == "m_|-webserver_|-webserver_|-f"
    assert masker.tag("m_|-webserver_|-login webserver_|-f") == "m_|-webserver_|-login (sensitive)_|-f"


def test_a_secret_that_a_name_contains_stays_within_text() -> None:
    """The user `postgres` of a server hides no type `postgres` in a message, and is hidden as a value."""
    masker = Masker(["postgres", "correct-horse"])
    message = "no definition matches postgres.legacy#db-postgres (did you mean postgres?)"
    assert masker.text(message).count(MASK) == 3
    masker.add_names(["postgres", "legacy"])
    assert masker.text(message) == message
    assert masker.name("postgres.default#db") == "postgres.default#db"
    assert masker.data({"postgres": "postgres", "user": ["postgres", "correct-horse"]}) == {
        "postgres": MASK,
        "user": [MASK, MASK],
    }
    assert masker.text("postgres says correct-horse") == f"postgres says {MASK}"


def test_a_secret_stays_only_where_the_name_is() -> None:
    """A part of a name stays in that name, as a whole word, and nowhere else."""
    masker = Masker(["gres-main", "correct-horse"])
    masker.add_names(["postgres-main", "correct-horse-battery"])
    text = "postgres-main: gres-main, postgres-mains, xpostgres-main, correct-horse-battery, correct-horse"
    assert masker.text(text) == (
        f"postgres-main: {MASK}, post{MASK}s, xpost{MASK}, correct-horse-battery, {MASK}"
    )
    assert masker.within("gres-main") == MASK
    assert masker.within("postgres-main") == "postgres-main"


def test_two_names_that_are_masked_alike_stay_two() -> None:
    """The second ID that was rendered from a secret has a number, wherever it is shown."""
    masker = guessed("correct-horse", "battery-staple")
    first, second = masker.name("correct-horse"), masker.name("battery-staple")
    assert (first, second) == (MASK, f"{MASK} #2")
    assert masker.name("battery-staple") == second
    assert masker.tag("m_|-battery-staple_|-battery-staple_|-f") == f"m_|-{second}_|-{second}_|-f"


def test_passwords_of_urls_go_in_names() -> None:
    """An SLS may contain a URL with a password as an ID; the password is hidden by its place."""
    masker = Masker()
    url = "https://me:correct-horse@git.example.com/app"
    masker.add_from_urls(url)
    masker.add_source(f"{url}:\n  git.latest: []\n")
    assert masker.name(url) == "https://me:(sensitive)@git.example.com/app"


@given(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8))
def test_a_tag_without_secrets_stays(module: str, id_: str, name: str) -> None:
    """Whatever ID and name contain, the separator included, their tag is left alone."""
    masker = guessed("correct-horse")
    tag = f"{module}_|-{id_}_|-{name}_|-f"
    assert masker.tag(tag) == tag
