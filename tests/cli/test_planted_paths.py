"""Secrets at drawn `sensitive` paths: no sink has the value of one, and every other value stays readable.

Each state has a drawn `new_state` whose texts and numbers are unlike any other in the project, and
`sensitive` paths in every form of the grammar to some of its places.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from collections.abc import Iterator

STATES: Final = 40
MASK: Final = "(sensitive)"
_WORDS: Final = ("key", "odd key", "odd:key", "odd[0]", "5", "key.b")


class Planted:
    """One state: its data, its paths, and the values that are secrets.

    Args:
        number: its number, which is in every value.
    """

    def __init__(self, number: int) -> None:
        self._random = Random(number)  # noqa: S311 (it draws data)
        self._count = 0
        self._number = number
        self.data: Any = {"top": self._mapping(2), "list": self._list(2), "open": self._leaf()}
        self.places = self._drawn()
        self.paths = [self._path(place) for place in self.places]

    def _leaf(self) -> Any:
        self._count += 1
        kind = self._random.randrange(4)
        if kind == 0:
            return self._random.random() < 0.5
        if kind == 1:
            return 7_000_000 + self._number * 1000 + self._count
        return f"planted-{self._number}-{self._count}-end"

    def _tree(self, levels: int) -> Any:
        kind = self._random.randrange(3) if levels else 2
        return (self._mapping, self._list)[kind](levels - 1) if kind < 2 else self._leaf()

    def _mapping(self, levels: int) -> Any:
        return {word: self._tree(levels) for word in self._random.sample(_WORDS, 3)}

    def _list(self, levels: int) -> Any:
        return [self._tree(levels) for _ in range(3)]

    def _drawn(self) -> list[tuple[Any, ...]]:
        places = [place for place, _ in walk(self.data) if place and place[0] != "open"]
        return self._random.sample(places, 3)

    def _path(self, place: tuple[Any, ...]) -> str:
        path = ""
        for part in place:
            if isinstance(part, int):
                path += self._random.choice((f"[{part}]", f"[{part - 3}]", f":{part}", f":[{part}]"))
                continue
            needs_quotes = any(sign in part for sign in ":[]")
            path += f'{":" if path else ""}"{part}"' if needs_quotes else f"{':' if path else ''}{part}"
        return path

    def is_secret(self, place: tuple[Any, ...]) -> bool:
        """Return whether a value is at one of the paths, or below one."""
        return any(place[: len(secret_place)] == secret_place for secret_place in self.places)

    @property
    def secrets(self) -> Iterator[Any]:
        """The values that are secrets."""
        return (value for place, value in walk(self.data) if self.is_secret(place) and is_leaf(value))

    @property
    def shown(self) -> Any:
        """The data as it is to be shown."""
        return self._shown(self.data, ())

    def _shown(self, value: Any, place: tuple[Any, ...]) -> Any:
        if any(place == secret_place for secret_place in self.places):
            return MASK
        if isinstance(value, dict):
            return {key: self._shown(member, (*place, key)) for key, member in value.items()}
        if isinstance(value, list):
            return [self._shown(member, (*place, number)) for number, member in enumerate(value)]
        return value


def is_leaf(value: Any) -> bool:
    """Return whether a value is neither a mapping nor a list."""
    return not isinstance(value, dict | list)


def walk(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield every value with its place."""
    yield place, value
    members: Any = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, member in members:
        yield from walk(member, (*place, key))


PLANTED: Final = [Planted(number) for number in range(STATES)]


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """The project; Jinja is in its SLS, so that templates are compiled."""
    shell = Shell(tmp_path_factory.mktemp("paths"))
    shell.write("ensue.yaml", "id: m1\n")
    sls: dict[str, Any] = {}
    for number, planted in enumerate(PLANTED):
        arguments = [
            {"new_state": planted.data},
            {"sensitive": planted.paths},
            {"changes": {"new": planted.data, "old": {}}},
        ]
        comment = {
            "comment": " ".join(str(secret) for secret in planted.secrets if not isinstance(secret, bool))
        }
        sls[f"p{number}"] = {"test.present": [*arguments, comment]}
        sls[f"u{number}"] = {
            "test.present": [
                {"new_state": {"all": f"${{test:p{number}:}}", "text": f"x ${{test:p{number}:}} y"}}
            ]
        }
        sls[f"r{number}"] = {"mine.explode": [{"what": f"${{test:p{number}:}}"}]}
    text = json.dumps(sls, indent=1).replace("{{", "{ {").replace("}}", "} }")
    shell.write("states/all.sls", "{% set x = 1 %}\n" + text)
    shell.write(
        "states/_states/mine.py", "def explode(name, what):\n    raise ValueError(repr(what), str(what))\n"
    )
    return shell


@pytest.fixture(scope="module")
def sinks(shell: Shell) -> dict[str, str]:
    """Everything that commands have written, by where."""
    written = {form: _all(shell, "apply", "all", "--out", form) for form in ("highstate", "json", "yaml")}
    last = shell.run("runs", "list", "--out", "json").document[0]["run_id"]
    for form in ("highstate", "json"):
        written[f"runs show {form}"] = _all(shell, "runs", "show", last, "--out", form)
    for words in (("plan", "all"), ("show", "high", "all"), ("show", "low", "all"), ("show", "enforced")):
        for form in ("json", "yaml"):
            written[f"{words} {form}"] = _all(shell, *words, "--out", form)
    for form in ("json", "dot"):
        written[f"graph {form}"] = _all(shell, "graph", "all", "--out", form)
        written[f"graph of a run {form}"] = _all(shell, "graph", "--run", last, "--out", form)
    for path in sorted((shell.root / ".ensue").rglob("*")):
        if path.is_file():
            written[str(path.relative_to(shell.root))] = path.read_bytes().decode("latin-1")
    return written


def _all(shell: Shell, *words: str) -> str:
    ended = shell.run(*words)
    return f"{ended.out}\n{ended.err}"


pytestmark = pytest.mark.long


def test_no_sink_has_a_text_or_number_at_a_path(sinks: dict[str, str]) -> None:
    """Outputs, journals, the enforced state, the cache of templates and exceptions show none of them."""
    secrets = {
        str(secret) for planted in PLANTED for secret in planted.secrets if not isinstance(secret, bool)
    }
    assert len(secrets) > STATES
    for name, content in sinks.items():
        assert sorted(secret for secret in secrets if secret in content) == [], name


def test_no_document_has_a_value_at_a_path(shell: Shell, sinks: dict[str, str]) -> None:
    """Whatever the type of a value, truth values included, each document has the mask in its place."""
    assert sinks
    applied = shell.run("apply", "all", "--out", "json").document["m1"]
    last = shell.run("runs", "list", "--out", "json").document[0]["run_id"]
    lines = (shell.root / ".ensue" / "runs" / f"{last}.jsonl").read_text().splitlines()
    events = [event for event in map(json.loads, lines) if event["type"] == "NodeFinished"]
    ended = {event["returned"]["id"]: event["returned"] for event in events}
    low = {
        chunk["__id__"]: chunk for chunk in shell.run("show", "low", "all", "--out", "json").document["m1"]
    }
    enforced = shell.run("show", "enforced", "--out", "json").document["m1"]
    for number, planted in enumerate(PLANTED):
        tag = f"test_|-p{number}_|-p{number}_|-present"
        for data in (ended[f"p{number}"], applied[tag], enforced[tag], low[f"p{number}"]):
            assert data["new_state"] == planted.shown, (number, planted.paths)
        for data in (ended[f"p{number}"], applied[tag], low[f"p{number}"]):
            _assert_hidden(data["changes"]["new"], planted)
        user = applied[f"test_|-u{number}_|-u{number}_|-present"]["new_state"]
        _assert_hidden(user["all"], planted)
        if any(isinstance(secret, bool) for secret in planted.secrets):
            assert user["text"] == MASK


def _assert_hidden(shown: Any, planted: Planted) -> None:
    """Assert that no secret is readable; in changes and in returns of others, more may be hidden."""
    for place, value in walk(shown):
        if is_leaf(value) and value != MASK:
            assert not planted.is_secret(place), (place, planted.paths)


def test_what_is_no_secret_stays_readable(sinks: dict[str, str]) -> None:
    """The values that no path leads to are in the output, so the paths hide no more than they say."""
    for planted in PLANTED:
        texts = [
            value
            for place, value in walk(planted.data)
            if isinstance(value, str) and not planted.is_secret(place)
        ]
        assert [text for text in texts if text not in sinks["json"]] == []
