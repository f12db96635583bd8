"""A project whose resources are made by a driver that writes down its calls."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING, Any

from tests.cli.shell import Shell

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

CONTEXT = ("--app", "shop", "--env", "dev", "--env-type", "development")
DEPLOY = ("deploy", "score.yaml", *CONTEXT)
DESTROY = ("deploy", "--app", "shop", "--env", "dev", "--destroy")
DB = "postgres.default#modules.web.externals.db"
SECRET = "hunter2-s3cret"

DRIVER = '''
"""Writes `CALL TYPE` to `log`; its outputs are its inputs. `fail`, `raise` and `wait` among these do more."""

import asyncio
import os

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import DriverError


def note(request, word):
    again = " again" if request.was_interrupted else ""
    with (request.root / "log").open("a") as log:
        log.write(f"{word} {request.type}{again}\\n")


async def make(request, word):
    note(request, word)
    values = request.values
    if "fail" in values:
        raise DriverError(values["fail"])
    if word == "update":
        request.refuse_destruction(values.get("destroys", []))
    if "raise" in values:
        raise ValueError(values["raise"])
    if "wait" in values:
        await request.services.keep({"ordered": True})
        progress = os.open(request.root / "progress", os.O_WRONLY)
        gate = os.open(request.root / "gate", os.O_RDONLY | os.O_NONBLOCK)
        is_open = asyncio.Event()
        asyncio.get_running_loop().add_reader(gate, is_open.set)
        os.write(progress, b".")
        await is_open.wait()
        asyncio.get_running_loop().remove_reader(gate)
    outputs = {key: value for key, value in values.items() if key != "registers"}
    return Provisioned(
        values=outputs,
        secrets=request.secrets,
        cookie={"made": request.id, "secrets": request.secrets},
        registers=values.get("registers", {}),
    )


async def create(request):
    return await make(request, "create")


async def update(request):
    return await make(request, "update")


async def delete(request):
    note(request, "delete")
    if (request.root / "in use").exists():
        raise DriverError(f"in use with {request.cookie['secrets']}")


async def plan(request):
    return Planned(comment="would make it", destroys=tuple(request.values.get("destroys", [])))


def check(request):
    bad = request.values.get("bad") if isinstance(request.values, dict) else None
    return [f"{bad} is bad"] if bad else []
'''

SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx, variables: {DB: "${resources.db.host}"}}}
resources:
  db: {type: postgres}
  dns: {type: dns, id: main}
"""

POSTGRES = """\
kind: Definition
metadata: {id: pg}
entity:
  type: postgres
  driver_type: log
  driver_inputs:
    values: {host: "db.${context.app.id}", url: "pg://${resources.base-env.outputs.key}@db"}
    secrets: {password: hunter2-s3cret}
  criteria: [{}]
"""

OTHERS = """\
kind: Definition
metadata: {id: dns}
entity: {type: dns, driver_type: log, driver_inputs: {values: {host: shop.example}}, criteria: [{}]}
---
kind: Definition
metadata: {id: any-workload}
entity: {type: workload, driver_type: humanitec/echo, driver_inputs: {values: {ok: true}}, criteria: [{}]}
---
kind: Definition
metadata: {id: base}
entity: {type: base-env, driver_type: echo, driver_inputs: {secrets: {key: b4se-k3y}}, criteria: [{}]}
"""


class DeployedProject(Shell):
    """The project, with a log of its driver's calls."""

    def log(self) -> list[str]:
        """Return the calls of the driver since this was asked last, sorted."""
        path = self.root / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return sorted(lines)

    def postgres(self, values: str) -> None:
        """Give the database other plain inputs, a mapping as YAML has it in one line."""
        lines = POSTGRES.splitlines(keepends=True)
        lines[6] = f"    values: {values}\n"
        self.write("definitions/pg.yaml", "".join(lines))


class Waiting:
    """A deployment whose database is being created until the gate is opened.

    Args:
        project: the project, whose database is to `wait`.
        words: the command.
        streams: how its process is started.
    """

    def __init__(self, project: DeployedProject, *words: str, **streams: Any) -> None:
        pipes = [project.root / name for name in ("progress", "gate")]
        for pipe in pipes:
            os.mkfifo(pipe)
        # Open for both, they are there whoever else opens them.
        self._progress, self._gate = (os.open(pipe, os.O_RDWR) for pipe in pipes)
        self.process: subprocess.Popen[bytes] = project.start(*words, **streams)
        ended = os.pidfd_open(self.process.pid)
        ready, _, _ = select.select([self._progress, ended], [], [], 60)
        os.close(ended)
        assert ready == [self._progress], self.process.communicate()

    def open_gate(self) -> None:
        """Let the driver go on."""
        os.write(self._gate, b"go")

    def ended(self) -> tuple[bytes, bytes]:
        """Wait for the end; return what was said."""
        return self.process.communicate(timeout=300)

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.communicate()
        os.close(self._progress)
        os.close(self._gate)


def statuses(document: Any) -> dict[str, str]:
    """Return the statuses by type, in the order of provisioning."""
    return {node["type"]: node["status"] for node in document["nodes"]}


def deployed(project: DeployedProject, *words: str) -> dict[str, str]:
    """Deploy, and return the statuses by type."""
    ended = project.run(*DEPLOY, *words, "--out", "json")
    assert ended.code == 0, ended.err
    return statuses(ended.document)


def deployed_project(root: Path) -> DeployedProject:
    """Write the project."""
    project = DeployedProject(root)
    project.write("ensue.yaml", "id: m\n")
    project.write("states/_drivers/log.py", DRIVER)
    project.write("score.yaml", SCORE)
    project.write("definitions/pg.yaml", POSTGRES)
    project.write("definitions/others.yaml", OTHERS)
    return project
