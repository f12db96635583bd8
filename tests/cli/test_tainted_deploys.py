"""Texts computed from a secret of another resource: no sink has one, and a workload has them in its Secret.

Each definition computes with every function that is drawn, in both languages of templates, and passes the
results on: to other definitions, to a workload, and to a state that writes a file.
"""

from __future__ import annotations

import base64
import codecs
import hashlib
import json
from random import Random
from typing import Any, Final

import pytest
from tests.cli.shell import Shell

SECRET: Final = "planted-Secret-0815-tail"
PIN: Final = 48151623
STEPS: Final = 3
RESULTS: Final = 12
CONTEXT: Final = ("deploy", "score.yaml", "--app", "shop", "--env", "dev", "--env-type", "development")

OPERATIONS: Final[tuple[tuple[str, str, Any], ...]] = (
    ("b64enc", "b64encode", lambda text: base64.b64encode(text.encode()).decode()),
    ("sha256sum", "sha256", lambda text: hashlib.sha256(text.encode()).hexdigest()),
    ("upper", "upper", str.upper),
    ("lower", "lower", str.lower),
    ('replace "e" "E"', "replace('e', 'E')", lambda text: text.replace("e", "E")),
    ("substr 2 -1", "list | join | replace('p', '') | replace('P', '')", None),
    ('printf "%s-x"', "string ~ '-x'", lambda text: f"{text}-x"),
    ('splitList "-" | join "+"', "replace('-', '+')", lambda text: text.replace("-", "+")),
    ("toJson | fromJson", "tojson | trim('\"')", lambda text: text),
    ("repeat 2", "string * 2", lambda text: text * 2),
)
"""In Go, in Jinja, and in Python; None: the two languages do different things."""


class Drawn:
    """Pipelines of functions, and what they return.

    Args:
        is_go: whether they are of Go.
    """

    def __init__(self, *, is_go: bool) -> None:
        random = Random(is_go)  # noqa: S311 (it draws functions)
        self.lines: list[str] = []
        self.texts: set[str] = set()
        for number in range(RESULTS):
            text, expression = SECRET, ".driver.values.password" if is_go else "driver.values.password"
            for _ in range(random.randrange(1, STEPS + 1)):
                in_go, in_jinja, compute = random.choice(
                    [operation for operation in OPERATIONS if operation[2]]
                )
                expression = f"({expression} | {in_go if is_go else in_jinja})"
                text = compute(text)
                self.texts.add(text)
            shown = f"{expression} | {'toRawJson' if is_go else 'tojson'}"
            self.lines.append(f"r{number}: {{{{ {shown} }}}}")


GO: Final = Drawn(is_go=True)
JINJA: Final = Drawn(is_go=False)
COMPUTED: Final = sorted(
    {SECRET, str(PIN), str(PIN + 1), SECRET[3:11], codecs.encode(SECRET, "rot13")} | GO.texts | JINJA.texts
)


def definition(type_: str, driver: str, values: Any, **more: Any) -> str:
    """Return a definition as JSON, which is YAML."""
    inputs = {"values": values, **more}
    entity = {"type": type_, "driver_type": driver, "driver_inputs": inputs, "criteria": [{}]}
    return json.dumps({"kind": "Definition", "metadata": {"id": type_}, "entity": entity})


DB: Final = "resources['postgres.default#shared.pg'].outputs"
OF_DB: Final = {"password": f"${{{DB}.password}}", "pin": f"${{{DB}.pin}}", "host": f"${{{DB}.host}}"}


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """The project."""
    shell = Shell(tmp_path_factory.mktemp("tainted"))
    more = "cut: {{ substr 3 11 .driver.values.password }}\nnext: {{ add .driver.values.pin 1 }}\n"
    go = {"outputs": "\n".join([*GO.lines, more, "host: {{ .driver.values.host }}"])}
    go["cookie"] = "{{ .driver.values.password | b64enc }}"
    jinja = {"outputs": "\n".join([*JINJA.lines, "host: {{ driver.values.host }}"])}
    manifest = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\ndata: {host: {{ .driver.values.host }}}"
    go["manifests"] = json.dumps({"m.yaml": {"location": "namespace", "data": manifest}})
    update = "update: [{op: add, path: /spec/containers/main/variables/UPDATED, value: "
    update += "{{ .resource.spec.containers.main.variables.PASSWORD | sha256sum }}}]"
    definitions = (
        definition("postgres", "echo", {"host": "pg.internal"}, secrets={"password": SECRET, "pin": PIN}),
        definition("gone", "humanitec/template", {**OF_DB, "templates": go}),
        definition("jinja", "template", {**OF_DB, "templates": jinja}),
        definition("config", "state", {
            "state": "file.managed",
            "name": str(shell.root / "made"),
            "arguments": {"contents": f"${{{DB}.password}}\nx\n", "mode": "0600"},
        }),
        definition("workload", "humanitec/template", {"templates": {"outputs": update}}),
    )  # fmt: skip
    shell.write("definitions/all.yaml", "\n---\n".join(definitions))
    variables = {
        f"{kind.upper()}{n}": f"${{resources.{kind}.r{n}}}"
        for kind in ("gone", "jinja")
        for n in range(RESULTS)
    }
    variables |= {
        "PASSWORD": "${resources.pg.password}",
        "ODD:[0]": "${resources.pg.password}",
        "NEXT": "p-${resources.gone.next}",
    }
    variables |= {"HOST": "${resources.jinja.host}", "SUM": "${resources.config.sha256}"}
    score = {
        "apiVersion": "score.dev/v1b1",
        "metadata": {"name": "web"},
        "containers": {"main": {"image": "nginx", "variables": variables}},
        "resources": {
            "pg": {"type": "postgres", "id": "pg"},
            **{k: {"type": k} for k in ("gone", "jinja", "config")},
        },
    }
    shell.write("score.yaml", json.dumps(score))
    return shell


@pytest.fixture(scope="module")
def sinks(shell: Shell) -> dict[str, str]:
    """Everything that commands have written, by where."""
    written: dict[str, str] = {}
    for words in (
        (*CONTEXT, "--plan"),
        (*CONTEXT, "--render", "kubernetes", "--to", "rendered"),
        (*CONTEXT, "--out", "json"),
        (*CONTEXT, "--plan", "--out", "json"),
        ("graph", "score.yaml", *CONTEXT[2:], "--out", "json"),
        ("graph", "score.yaml", *CONTEXT[2:], "--out", "svg"),
        ("runs", "list", "--out", "json"),
    ):
        ended = shell.run(*words)
        assert ended.code == 0, ended.err
        written[" ".join(words)] = f"{ended.out}\n{ended.err}"
    for run in json.loads(written["runs list --out json"]):
        ended = shell.run("runs", "show", run["run_id"])
        written[f"runs show {run['run_id']}"] = f"{ended.out}\n{ended.err}"
    for path in sorted((shell.root / ".ensue").rglob("*")):
        if path.is_file():
            written[str(path.relative_to(shell.root))] = path.read_bytes().decode("latin-1")
    return written


pytestmark = pytest.mark.long


def test_no_sink_has_a_text_that_was_computed_from_a_secret(shell: Shell, sinks: dict[str, str]) -> None:
    """Texts of every function, and the checksum of a file with the secret: in text, JSON, journal, store."""
    texts = [*COMPUTED, hashlib.sha256((shell.root / "made").read_bytes()).hexdigest()]
    assert len(texts) > RESULTS
    for name, content in sinks.items():
        assert [text for text in texts if text in content] == [], name


def test_what_is_not_secret_stays_readable(sinks: dict[str, str]) -> None:
    """The host beside the secrets in every result is in the document."""
    document = sinks[" ".join((*CONTEXT, "--out", "json"))]
    nodes = {node["type"]: node for node in json.JSONDecoder().raw_decode(document)[0]["nodes"]}
    for kind in ("gone", "jinja"):
        outputs = nodes[kind]["outputs"]
        assert outputs.pop("host") == "pg.internal"
        assert set(outputs.values()) == {"(sensitive)"}
    assert {node["status"] for node in nodes.values()} == {"unchanged"}


def test_the_workload_takes_computed_texts_from_its_secret(shell: Shell, sinks: dict[str, str]) -> None:
    """The Deployment has none of them; the Secret has all, and only the host is a plain variable."""
    assert sinks
    deployment = (shell.root / "rendered" / "web-deployment.yaml").read_text()
    assert [text for text in COMPUTED if text in deployment] == []
    assert deployment.count("secretKeyRef") == 2 * RESULTS + 5
    assert "value: pg.internal" in deployment
    import yaml

    secret = yaml.safe_load((shell.root / "rendered" / "web-secret.yaml").read_text())
    values = {base64.b64decode(value).decode() for value in secret["data"].values()}
    assert {SECRET, f"p-{PIN + 1}", hashlib.sha256(SECRET.encode()).hexdigest()} <= values
