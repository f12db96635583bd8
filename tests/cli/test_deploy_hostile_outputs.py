"""`ensue deploy` with outputs that try to be templates, YAML, Terraform and words of a command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

DEPLOY = ("deploy", "score.yaml", "--app", "shop", "--env", "dev", "--env-type", "development")
SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx}}
resources: {db: {type: postgres}}
"""
SECRET = "hunter2-s3cret"
IT = "${resources.config.outputs.it}"


def project(
    folder: Path, driver: str, inputs: dict[str, Any], output: Any, *, is_secret: bool = False
) -> Shell:
    """Return a project in which a resource takes the output of another one."""
    shell = Shell(folder / "project")
    source = {"secrets" if is_secret else "values": {"it": output}}
    given = [
        ("config", "echo", source),
        ("postgres", driver, inputs),
    ]
    for type_, name, driver_inputs in given:
        entity = {"type": type_, "driver_type": name, "driver_inputs": driver_inputs, "criteria": [{}]}
        document = {"kind": "Definition", "metadata": {"id": type_}, "entity": entity}
        shell.write(f"definitions/{type_}.yaml", json.dumps(document))
    shell.write("score.yaml", SCORE)
    return shell


def templates(**parts: Any) -> dict[str, Any]:
    return {"values": {"templates": parts, "it": IT}, "secrets": {"password": SECRET}}


def outputs_of(shell: Shell) -> dict[str, Any]:
    """Deploy, and return the outputs of the resource."""
    ended = shell.run(*DEPLOY, "--out", "json")
    assert ended.code == 0, ended.err + ended.out
    assert SECRET not in ended.out + ended.err
    (node,) = (candidate for candidate in ended.document["nodes"] if candidate["type"] == "postgres")
    return node["outputs"]


def refusal(shell: Shell, code: int = 2) -> str:
    """Deploy, and return what the command prints of a resource that cannot be provisioned."""
    ended = shell.run(*DEPLOY)
    assert ended.code == code, ended.out + ended.err
    assert SECRET not in ended.out + ended.err
    return " ".join((ended.out + ended.err).split())


TEMPLATE_TEXTS = {
    "humanitec/template": "{{ .driver.secrets.password }}",
    "template": "{{ driver.secrets.password }}",
}


@pytest.mark.parametrize("is_secret", [False, True], ids=["plain", "secret"])
@pytest.mark.parametrize("driver", TEMPLATE_TEXTS)
def test_an_output_is_no_template(tmp_path: Path, driver: str, *, is_secret: bool) -> None:
    """It is printed as it is, in quotes and in a block of text, twice with the same result."""
    hostile = TEMPLATE_TEXTS[driver]
    template = f"quoted: '{IT}'\nblock: |-\n  {IT}\n"
    shell = project(tmp_path, driver, templates(outputs=template), hostile, is_secret=is_secret)
    shown = "(sensitive)" if is_secret else hostile
    assert outputs_of(shell) == {"quoted": shown, "block": shown}
    assert outputs_of(shell) == {"quoted": shown, "block": shown}


@pytest.mark.parametrize("driver", TEMPLATE_TEXTS)
def test_an_output_is_no_yaml(tmp_path: Path, driver: str) -> None:
    """Neither in the text of a template nor printed by one; the message says where, and how to mend it."""
    dot = "." if driver.startswith("humanitec") else ""
    hostile = "x\nevil: 1"
    inputs = templates(outputs=f"own: 1\nit: {IT}\n", manifests=f"{{{{ {dot}driver.values.it }}}}")
    shell = project(tmp_path, driver, inputs, hostile)
    error = refusal(shell)
    assert f"templates.outputs:2: what {IT} prints is more than a part of one YAML value" in error
    assert "pass it in `values`" in error
    shell = project(tmp_path, driver, templates(outputs=f"it: {{{{ {dot}driver.values.it }}}}"), hostile)
    error = refusal(shell)
    assert f"templates.outputs:1: what {dot}driver.values.it prints" in error.replace("{{ ", "").replace(
        " }}", ""
    )
    assert "evil" not in error
    as_json = "toRawJson" if dot else "tojson"
    mended = templates(outputs=f"it: {{{{ {dot}driver.values.it | {as_json} }}}}")
    assert outputs_of(project(tmp_path, driver, mended, hostile)) == {"it": hostile}


def test_harmless_outputs_are_what_they_always_were(tmp_path: Path) -> None:
    """Numbers, switches and lists keep their types in the text of a template."""
    output = {"a": 5432, "b": True, "c": "db.example", "d": ["a", "b c"], "e": {"a": "b: c"}, "f": None}
    output |= {"g": "5432", "h": "true"}
    text = "".join(f"{key}: {IT[:-1]}.{key}}}\n" for key in output)
    shell = project(tmp_path, "humanitec/template", templates(outputs=text), output)
    assert outputs_of(shell) == {**output, "g": 5432, "h": True}


def test_an_output_is_no_part_of_an_action(tmp_path: Path) -> None:
    """In a string of an action it may be harmless, elsewhere in one a number; the message says what to do."""
    inputs = templates(outputs=f'it: {{{{ index .driver.secrets "{IT}" }}}}\n')
    error = refusal(project(tmp_path, "humanitec/template", inputs, 'x" | printf "'))
    assert f"templates.outputs:1: {IT} is what config.default#modules.web.externals.db says" in error
    assert "use `.driver.values.NAME` here" in error
    inputs = templates(outputs=f"it: {{{{ {IT} }}}}\n")
    assert "be a number" in refusal(
        project(tmp_path, "humanitec/template", inputs, ".driver.secrets.password")
    )


CLUSTER = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "it",
    "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
    "clusters": [{"name": "it", "cluster": {"server": "http://127.0.0.1:1"}}],
    "users": [{"name": "it", "user": {}}],
}
CODE: dict[str, tuple[dict[str, Any], str, str]] = {
    "terraform": ({"values": {"script": f'output "it" {{ value = "{IT}" }}'}}, '" } evil "', "`variables`"),
    "command": ({"values": {"command": f"true {IT}"}}, "a evil", "a list of words"),
    "kubernetes": (
        {"values": {"manifests": f"kind: {IT}"}, "secrets": {"kubeconfig": json.dumps(CLUSTER)}},
        "x\nevil: 1",
        "as a mapping",
    ),
}


@pytest.mark.parametrize("driver", CODE)
def test_an_output_is_no_code(tmp_path: Path, driver: str) -> None:
    """It is refused before anything is provisioned, and the message does not show it."""
    inputs, hostile, help_ = CODE[driver]
    shell = project(tmp_path, driver, inputs, hostile)
    error = refusal(shell, 1)
    assert f"{IT} is what config.default#modules.web.externals.db says" in error
    assert help_ in error
    assert "evil" not in error
