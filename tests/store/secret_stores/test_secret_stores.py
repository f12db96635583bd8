"""Secrets are read from their stores: once, masked, and never from outside of a store."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.diagnostics import Span
from ensue.core.errors import ConfigurationError, SecretStoreError
from ensue.core.masking import Masker
from ensue.deploy.environments.deployment_files import read_definitions
from ensue.deploy.provisioning.secret_refs import SecretReference
from ensue.deploy.provisioning.wanted_secrets import WantedSecret, wanted_secrets
from ensue.language.collector import Collector
from ensue.language.settings.settings import read_settings
from ensue.store.secret_stores.secret_stores import SecretStores

if TYPE_CHECKING:
    from pathlib import Path

PRINT_REF = "import sys; print(sys.argv[1:])"


def stores(root: Path, masker: Masker | None = None, **configured: Any) -> SecretStores:
    """Return the stores of a project in `root`."""
    (root / "ensue.yaml").write_text(json.dumps({"secret_stores": configured}))
    return SecretStores(read_settings(root, "test", {}), masker or Masker())


def read(of: SecretStores, *refs: SecretReference) -> list[str]:
    """Read secrets and return their values in order."""
    values = asyncio.run(of.read_all(refs))
    return [values[ref] for ref in refs]


def failure(of: SecretStores, *refs: SecretReference) -> str:
    """Return the error message about secrets that cannot be read."""
    with pytest.raises(SecretStoreError) as caught:
        read(of, *refs)
    return str(caught.value)


def ref(ref: str, version: str = "", store: str = "it") -> SecretReference:
    """Return a reference."""
    return SecretReference(store=store, ref=ref, version=version)


def test_an_environment_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`prefix` precedes each name; the value is masked from then on, whatever its form."""
    monkeypatch.setenv("SHOP_DB", '{"user": "secret-user"}\n')
    masker = Masker()
    of = stores(tmp_path, masker, it={"kind": "env", "prefix": "SHOP_"})
    assert read(of, ref("DB")) == ['{"user": "secret-user"}\n']
    assert "secret-user" not in masker.text('it is {"user": "secret-user"}')
    assert failure(of, ref("NONE")).endswith("the environment variable SHOP_NONE is not set")
    assert "no versions" in failure(of, ref("DB", "2"))
    assert "not the name of an environment variable" in failure(of, ref("A=B"))


def test_a_file_below_the_folder(tmp_path: Path) -> None:
    """One newline at the end is cut; a link may lead elsewhere within the folder."""
    folder = tmp_path / "secrets" / "db"
    folder.mkdir(parents=True)
    (folder / "password").write_text("hunter2\n\n")
    (folder / "linked").symlink_to("password")
    (folder / "windows").write_bytes(b"x\r\n")
    of = stores(tmp_path, it={"kind": "file", "path": "secrets"})
    assert read(of, ref("db/password"), ref("db/linked"), ref("db/windows")) == [
        "hunter2\n",
        "hunter2\n",
        "x",
    ]


@pytest.mark.parametrize(
    "path", ["../outside", "/etc/passwd", "a/../../outside", "", ".", "a//b", "out", "a\0b"]
)
def test_no_file_outside_of_the_folder(path: str, tmp_path: Path) -> None:
    """Neither `..`, an absolute path nor a link leads out."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "outside").write_text("hunter2")
    (tmp_path / "secrets" / "out").symlink_to("../outside")
    message = failure(stores(tmp_path, it={"kind": "file", "path": "secrets"}), ref(path))
    assert "hunter2" not in message
    assert "leads out" in message or "not a path below" in message


def test_only_regular_text_files_are_read(tmp_path: Path) -> None:
    """A FIFO without a writer does not hang; bytes and missing files are named without their content."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    (tmp_path / "big").write_bytes(b"x" * (1 << 20) + b"xx")
    of = stores(tmp_path, it={"kind": "file", "path": "."})
    message = failure(of, ref("folder"), ref("pipe"), ref("bytes"), ref("big"), ref("none"))
    for what in ("a folder", "a FIFO", "not UTF-8", "larger than", "No such file"):
        assert what in message
    assert message.count("cannot be read") == 5


def test_a_command_without_a_shell(tmp_path: Path) -> None:
    """`{ref}` and `{version}` are replaced within arguments; no shell and no second replacement sees them."""
    argv = [sys.executable, "-c", PRINT_REF, "secret/{ref}", "--version={version}"]
    of = stores(tmp_path, it={"kind": "command", "command": argv})
    hostile = "a b; $(id) '\" {version}"
    assert read(of, ref(hostile, "3")) == [str([f"secret/{hostile}", "--version=3"])]
    assert "the reference has no `version`" in failure(of, ref("x"))
    plain = stores(tmp_path, it={"kind": "command", "command": [sys.executable, "-c", PRINT_REF, "{ref}"]})
    assert "begin with -" in failure(plain, ref("--help"))
    assert "no {version}" in failure(plain, ref("x", "1"))


def test_a_command_of_the_project(tmp_path: Path) -> None:
    """A relative program is one below the project's folder, in which it runs; it reads nothing."""
    program = tmp_path / "get-secret"
    program.write_text('#!/bin/sh\ncat; cat "$1.txt"\n')
    program.chmod(0o755)
    (tmp_path / "db.txt").write_text("hunter2\n")
    assert read(
        stores(tmp_path, it={"kind": "command", "command": ["./get-secret", "{ref}"]}), ref("db")
    ) == ["hunter2"]


def test_a_command_that_fails(tmp_path: Path) -> None:
    """Its stderr is shown without known secrets; its stdout is not shown."""
    script = "import sys; print('hunter2'); sys.exit('no such secret for token-of-mine')"
    of = stores(
        tmp_path,
        Masker(["token-of-mine"]),
        it={"kind": "command", "command": [sys.executable, "-c", script]},
        slow={"kind": "command", "command": ["sleep", "600"], "timeout_s": 0.2},
        none={"kind": "command", "command": ["no-such-program"]},
    )
    message = failure(of, ref("x"), ref("x", store="slow"), ref("x", store="none"))
    assert "ended with 1: no such secret for (sensitive)" in message
    assert "hunter2" not in message
    assert "sleep took more than 0.2 s" in message
    assert "no-such-program: No such file" in message


def test_each_secret_is_read_once(tmp_path: Path) -> None:
    """It is read once for any number of references and concurrent readers."""
    script = "import sys; open('asked', 'a').write(sys.argv[1] + ' '); print(sys.argv[1])"
    of = stores(tmp_path, it={"kind": "command", "command": [sys.executable, "-c", script, "{ref}"]})

    async def ask() -> None:
        await asyncio.gather(*(of.read_all([ref("a"), ref("b"), ref("a")]) for _ in range(5)))

    asyncio.run(ask())
    assert sorted((tmp_path / "asked").read_text().split()) == ["a", "b"]


def test_stores_that_are_not_configured_are_named_together(tmp_path: Path) -> None:
    """Before anything is read, each unreadable reference has a diagnostic with its definition and place."""
    of = stores(tmp_path, env={"kind": "env"})
    places = [("db", Span("definitions/db.yaml", 9, 5)), ("s3", Span("definitions/a.yaml", 3, 1))]
    refs = [ref("x", store="vault"), ref("x", store="vlt")]
    secrets = [
        *(
            WantedSecret(reference=reference, definition=id_, span=span)
            for reference, (id_, span) in zip(refs, places, strict=True)
        ),
        WantedSecret(reference=ref("X", store="env"), definition="s3"),
        WantedSecret(reference=ref("X", "1", store="env"), definition="s3", span=Span("definitions/c.yaml")),
    ]
    no_versions = "a store of this kind has no versions; leave out `version`"
    no_store = "there is no secret store"
    mend = "(configure it under secret_stores in ensue.yaml; there are env)"
    assert [(diagnostic.code, diagnostic.message) for diagnostic in of.check(secrets)] == [
        (
            "E0835",
            f"definitions/a.yaml:3:1: {no_store} 'vlt', required by definition s3 {mend}",
        ),
        ("E0836", f"definitions/c.yaml: the secret env: X@1 of definition s3 cannot be read: {no_versions}"),
        (
            "E0835",
            f"definitions/db.yaml:9:5: there is no secret store 'vault', required by definition db {mend}",
        ),
    ]


DEFINITION = """
apiVersion: entity.humanitec.io/v1b1
kind: Definition
metadata: {id: db}
entity:
  type: postgres
  driver_type: echo
  driver_inputs:
    secret_refs:
      password: {store: vault, ref: db/password}
      wrong:
        here: hunter2
  criteria: [{}]
"""


def test_the_secrets_of_a_definition_have_their_places(tmp_path: Path) -> None:
    """Each reference, and each that is malformed, is named with file and line."""
    (tmp_path / "definitions").mkdir()
    (tmp_path / "definitions" / "db.yaml").write_text(DEFINITION)
    collector = Collector()
    (definition,) = read_definitions([tmp_path / "definitions"], tmp_path, collector, must_exist=True)
    secrets, wrong = wanted_secrets(definition, definition.inputs.secret_refs.data)
    assert [(str(secret.reference), str(secret.span)) for secret in secrets] == [
        ("vault: db/password", "definitions/db.yaml:10:7")
    ]
    (diagnostic,) = wrong
    assert (diagnostic.code, str(diagnostic.span), diagnostic.summary) == (
        "E0837",
        "definitions/db.yaml:12:9",
        "wrong.here of secret_refs of db is not a secret",
    )
    assert "hunter2" not in diagnostic.message


@pytest.mark.parametrize(
    ("store", "message"),
    [
        ({}, "kind"),
        ({"kind": "vlt"}, "one of env, file, command"),
        ({"kind": "file"}, "it needs `path` beside it"),
        ({"kind": "env", "prefx": "A"}, "did you mean prefix"),
        ({"kind": "command", "command": "cat {ref}"}, "a list of a program and its arguments"),
        ({"kind": "command", "command": []}, "a list of a program and its arguments"),
        ({"kind": "command", "command": ["cat", 5]}, "a list of a program and its arguments"),
        ({"kind": "command", "command": ["cat"], "timeout_s": 0}, "a number above 0"),
        ("env", "a mapping"),
    ],
)
def test_a_store_that_is_configured_wrongly(store: Any, message: str, tmp_path: Path) -> None:
    """`ensue.yaml` is refused, with what is possible."""
    with pytest.raises(ConfigurationError, match=message):
        stores(tmp_path, it=store)
