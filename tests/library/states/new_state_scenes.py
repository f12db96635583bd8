"""Functions whose `new_state` no data case can show, each with what it needs: a server, a repository, ….

A scene is given a folder and yields how to call the function there, in a plan or for real.
"""

from __future__ import annotations

import asyncio
import getpass
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.new_state_tables import check_new_state
from tests.library.states.system_states import HERE, context, state
from tests.library.states.test_archive import FILES, extract, tar_of
from tests.library.states.test_blockdev import SETTINGS, device
from tests.library.states.test_git import Remote
from tests.library.states.test_http import ask, serving, wait_for
from tests.library.states.test_starting_state import MemoryProvider
from tests.support.postgresql import Postgresql, programs, running_postgresql
from tests.support.terraform import BOX, configuration, needs_terraform

from ensue.core.contracts.connection import Command, Completed
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.library.states import graph, ssh_host, starting_state, terraform
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeFunctionContext, FakeStateContext
from ensue.testing.deployments import FakeDeployments

if TYPE_CHECKING:
    from pathlib import Path

Act = Callable[[bool], StateReturn]
Scene = Callable[["Path"], AbstractContextManager[Act]]


@contextmanager
def working_copy(folder: Path) -> Iterator[Act]:
    remote = Remote(folder / "remote", folder / "copy")
    remote.folder.mkdir()
    remote.git("init", "-q", "-b", "main")
    remote.commit("one")
    yield lambda test: remote.latest(test=test)


@contextmanager
def in_git(function: str, folder: Path, **arguments: Any) -> Iterator[Act]:
    remote = Remote(folder / "remote", folder / "copy")
    remote.folder.mkdir()
    remote.git("init", "-q", "-b", "main")
    remote.commit("one")
    remote.git("config", "a.old", "x")

    def act(test: bool) -> StateReturn:
        ctx = context(MinionConnection(HERE), test=test)
        if function in {"git.cloned", "git.detached"}:
            return state(function, ctx, str(remote.folder), target=str(remote.target), **arguments)
        return state(function, ctx, repo=str(remote.folder), **arguments)

    yield act


@contextmanager
def new_repository(folder: Path) -> Iterator[Act]:
    path = str(folder / "new")
    yield lambda test: state("git.present", context(MinionConnection(HERE), test=test), path)


@contextmanager
def tuned_device(_: Path) -> Iterator[Act]:
    fake = device()
    yield lambda test: state("blockdev.tuned", context(fake, test=test), "/dev/sdb", **SETTINGS)


@contextmanager
def archive(folder: Path) -> Iterator[Act]:
    packed = tar_of(FILES)
    yield lambda test: extract(folder / "opt", packed, test=test)


@contextmanager
def answer(_: Path) -> Iterator[Act]:
    with serving() as url:
        yield lambda test: ask(url, status=200, headers=True, test=test)


@contextmanager
def waited_answer(_: Path) -> Iterator[Act]:
    with serving() as url:
        yield lambda test: wait_for(url, status=200, test=test)


@contextmanager
def variable(_: Path) -> Iterator[Act]:
    def act(test: bool) -> StateReturn:
        ctx = context(MinionConnection(HERE), test=test)
        return state("environ.setenv", ctx, "ENSUE_TEST_SCENE", value="x")

    yield act
    os.environ.pop("ENSUE_TEST_SCENE", None)


@contextmanager
def elsewhere(function: str, _: Path, **arguments: Any) -> Iterator[Act]:
    there = FakeFunctionContext(FakeConnection(Srn("ssh_host", "web-01"), files={"/there": b"x"}))
    here = FakeConnection(Srn("minion", "control"), files={"/here": b"x"})

    def act(test: bool) -> StateReturn:
        ctx = FakeStateContext(here, test=test, others={"web-01": there})
        return _checked(f"ssh_host.{function}", ssh_host.FUNCTIONS[function], ctx, "web-01", **arguments)

    yield act


@contextmanager
def environment(function: str, folder: Path) -> Iterator[Act]:
    """An environment that is there when it is to go, and not yet when it is to come."""
    provider = MemoryProvider(statuses={} if function == "deployed" else {"env-01": "succeeded"})
    ctx = FakeStateContext(FakeConnection(), providers={"sandbox": provider}, cache_dir=folder)

    def act(test: bool) -> StateReturn:
        ctx.test = test
        given = {"register_resources": True} if function == "deployed" else {}
        return _checked(
            f"starting_state.{function}", starting_state.FUNCTIONS[function], ctx, "env-01", **given
        )

    yield act


@contextmanager
def in_terraform(function: str, folder: Path) -> Iterator[Act]:
    """A configuration that is not applied yet, or that is when it is to be destroyed."""
    needs_terraform()
    configuration(folder / "box", BOX)
    connection = FakeConnection(Srn("minion", "control"))
    ctx = FakeStateContext(connection, opts={"root_dir": str(folder)}, cache_dir=folder / "cache")

    def call(name: str, **given: Any) -> StateReturn:
        return _checked(f"terraform.{name}", terraform.FUNCTIONS[name], ctx, "box", **given)

    def act(test: bool) -> StateReturn:
        ctx.test = test
        return call(function, **({"source": "box"} if function == "applied" else {}))

    if function == "destroyed":
        call("applied", source="box")
    yield act


@contextmanager
def deployment(function: str, _: Path, **given: Any) -> Iterator[Act]:
    """A deployment that is not there yet, or that is when it is to be destroyed."""
    deployments = FakeDeployments(active={"shop/dev"} if function == "destroyed" else set())
    ctx = FakeStateContext(FakeConnection(Srn("minion", "control")), deployments=deployments)
    name = f"graph.{function}"

    def act(test: bool) -> StateReturn:
        ctx.test = deployments.test = test
        return _checked(name, graph.FUNCTIONS[function], ctx, "shop", app="shop", env="dev", **given)

    yield act


def _checked(
    full_name: str, function: Callable[..., Any], ctx: FakeStateContext, name: str, **arguments: Any
) -> StateReturn:
    returned: StateReturn = asyncio.run(function(ctx, name, **arguments))
    check_new_state(full_name, returned, test=ctx.test)
    return returned


class SharedPostgresql:
    """A server that the first scene in need of one starts, and that the others share."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._server: Postgresql | None = None

    def get(self) -> Postgresql:
        """Return the running server."""
        if self._server is None:
            self._server = self._stack.enter_context(running_postgresql())
        return self._server

    def close(self) -> None:
        """Stop the server if it runs."""
        self._server = None
        self._stack.close()


POSTGRESQL = SharedPostgresql()


@contextmanager
def in_postgresql(function: str, _: Path, *, about: str = "plpgsql", **arguments: Any) -> Iterator[Act]:
    if programs() is None:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    me = getpass.getuser()
    server = POSTGRESQL.get()
    given = {
        "db_host": str(server.socket_folder),
        "db_user": server.user,
        "user": None if me == "root" else me,
        **arguments,
    }
    yield lambda test: state(function, context(test=test), about, **given)


@contextmanager
def with_openssl(function: str, folder: Path, **arguments: Any) -> Iterator[Act]:
    """In a folder that has a private key."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl: apt-get install openssl")
    here = MinionConnection(HERE)
    key = folder / "a.key"
    state("x509.private_key_managed", context(here), str(key), algo="ec")
    authority = folder / "a.crt"
    if "CERTIFICATE" in arguments.values():
        state("x509.certificate_managed", context(here), str(authority), signing_private_key=str(key), CN="a")
    paths = {"KEY": str(key), "CERTIFICATE": str(authority)}
    given = {word: paths.get(str(value), value) for word, value in arguments.items()}
    yield lambda test: state(f"x509.{function}", context(here, test=test), str(folder / "made"), **given)


@contextmanager
def in_mysql(function: str, _: Path, **arguments: Any) -> Iterator[Act]:
    """A client that answers as a server does, before the statement that changes something and after it."""
    is_there = function.endswith(".absent")
    rows = {
        "SCHEMATA": "character_set\tcollate_name\nutf8mb4\tutf8mb4_general_ci\n",
        "FROM mysql.user": "User\tHost\tplugin\tauthentication_string\nx\tlocalhost\t\t\n",
        "SHOW GRANTS": "Grants for x@localhost\nGRANT SELECT ON `d`.* TO `x`@`localhost`\n",
    }

    def answer(command: Command) -> Completed:
        nonlocal is_there
        sql = command.stdin.decode().partition("\n")[2]
        if sql.startswith(("CREATE", "GRANT", "DROP", "REVOKE")):
            is_there = not is_there
        output = next((text for words, text in rows.items() if words in sql), "")
        has_account = "grants" in function and "SHOW" not in sql
        if "VERSION" in sql:
            output = "version\n10.11.6-MariaDB\n"
        elif not is_there and not has_account:
            output = ""
        return Completed(returncode=0, stdout=output.encode(), stderr=b"")

    fake = FakeConnection()
    fake.on_run("mysql *", answer)
    yield lambda test: state(function, context(fake, test=test), "x", **arguments)


@contextmanager
def in_docker(function: str, _: Path, **arguments: Any) -> Iterator[Act]:
    """A client of docker whose engine has one of each thing; for `absent`, it has nothing."""
    about = {
        "Id": "1", "Name": "x", "Image": "i", "State": {"Running": True}, "Driver": "local",
        "RepoTags": ["x:1"], "Mountpoint": "/v", "IPAM": {"Config": [{"Subnet": "10.0.0.0/24"}]},
    }  # fmt: skip
    image = about | {"Id": "i"}
    other = about | {"Id": "2", "State": {}}
    has_none = function.endswith(".absent")

    def answer(command: Command) -> Completed:
        words = list(command.argv or ())[1:]
        if words[1:2] == ["inspect"]:
            is_other = words[2] == "2" or "-ensue-" in words[2]
            inspected = image if words[0] == "image" else other if is_other else about
            listed = json.dumps([] if has_none else [inspected]).encode()
            return Completed(returncode=1 if has_none else 0, stdout=listed, stderr=b"")
        stdout = {"create": b"2\n"}.get(words[0], b"")
        return Completed(returncode=0, stdout=stdout, stderr=b"")

    fake = FakeConnection()
    fake.on_run("docker *", answer)
    yield lambda test: state(function, context(fake, test=test), "x", **arguments)


SCENES: dict[str, Scene] = {
    "docker_container.absent": partial(in_docker, "docker_container.absent"),
    "docker_container.running": partial(in_docker, "docker_container.running", image="x:1"),
    "docker_container.stopped": partial(in_docker, "docker_container.stopped", containers=["2"]),
    "docker_image.absent": partial(in_docker, "docker_image.absent"),
    "docker_image.present": partial(in_docker, "docker_image.present"),
    "docker_network.absent": partial(in_docker, "docker_network.absent"),
    "docker_network.present": partial(in_docker, "docker_network.present"),
    "docker_volume.absent": partial(in_docker, "docker_volume.absent"),
    "docker_volume.present": partial(in_docker, "docker_volume.present"),
    "archive.extracted": archive,
    "blockdev.tuned": tuned_device,
    "environ.setenv": variable,
    "graph.deployed": partial(deployment, "deployed", env_type="development", score="score.yaml"),
    "graph.destroyed": partial(deployment, "destroyed"),
    "git.cloned": partial(in_git, "git.cloned"),
    "git.detached": partial(in_git, "git.detached", rev="main"),
    "git.config_set": partial(in_git, "git.config_set", name="a.new", value="y"),
    "git.config_unset": partial(in_git, "git.config_unset", name="a.old"),
    "git.latest": working_copy,
    "git.present": new_repository,
    "http.query": answer,
    "postgres_database.absent": partial(in_postgresql, "postgres_database.absent"),
    "postgres_database.present": partial(in_postgresql, "postgres_database.present"),
    "postgres_extension.absent": partial(in_postgresql, "postgres_extension.absent"),
    "postgres_extension.present": partial(in_postgresql, "postgres_extension.present"),
    "postgres_group.absent": partial(in_postgresql, "postgres_group.absent"),
    "postgres_group.present": partial(in_postgresql, "postgres_group.present"),
    "http.wait_for_successful_query": waited_answer,
    "mysql_database.absent": partial(in_mysql, "mysql_database.absent"),
    "mysql_database.present": partial(in_mysql, "mysql_database.present"),
    "mysql_grants.absent": partial(in_mysql, "mysql_grants.absent", grant="select", database="d.*", user="x"),
    "mysql_grants.present": partial(
        in_mysql, "mysql_grants.present", grant="select", database="d.*", user="x"
    ),
    "mysql_user.absent": partial(in_mysql, "mysql_user.absent"),
    "mysql_user.present": partial(in_mysql, "mysql_user.present", allow_passwordless=True),
    "postgres_privileges.absent": partial(
        in_postgresql,
        "postgres_privileges.absent",
        about="public",
        object_name="public",
        object_type="schema",
        privileges=["USAGE"],
    ),
    "postgres_privileges.present": partial(
        in_postgresql,
        "postgres_privileges.present",
        about="public",
        object_name="public",
        object_type="schema",
        privileges=["CREATE"],
    ),
    "postgres_tablespace.absent": partial(in_postgresql, "postgres_tablespace.absent", about="none"),
    "postgres_tablespace.present": partial(
        in_postgresql, "postgres_tablespace.present", about="pg_default", directory=""
    ),
    "postgres_schema.absent": partial(in_postgresql, "postgres_schema.absent", dbname="postgres"),
    "postgres_schema.present": partial(in_postgresql, "postgres_schema.present", dbname="postgres"),
    "postgres_user.absent": partial(in_postgresql, "postgres_user.absent"),
    "postgres_user.present": partial(in_postgresql, "postgres_user.present"),
    "ssh_host.fetch_file": partial(elsewhere, "fetch_file", remote_path="/there", local_path="/root/f"),
    "ssh_host.send_file": partial(elsewhere, "send_file", local_path="/here", remote_path="/root/f"),
    "ssh_host.state_applied": partial(elsewhere, "state_applied", mods=["web"]),
    "starting_state.absent": partial(environment, "absent"),
    "starting_state.deployed": partial(environment, "deployed"),
    "x509.certificate_managed": partial(
        with_openssl, "certificate_managed", signing_private_key="KEY", CN="a"
    ),
    "x509.crl_managed": partial(
        with_openssl,
        "crl_managed",
        signing_private_key="KEY",
        signing_cert="CERTIFICATE",
        revoked=({"serial_number": 1},),
    ),
    "x509.csr_managed": partial(with_openssl, "csr_managed", private_key="KEY", CN="a"),
    "x509.pem_managed": partial(
        with_openssl, "pem_managed", text="-----BEGIN CERTIFICATE-----QUJD-----END CERTIFICATE-----"
    ),
    "x509.private_key_managed": partial(with_openssl, "private_key_managed", algo="ed25519"),
    "terraform.applied": partial(in_terraform, "applied"),
    "terraform.destroyed": partial(in_terraform, "destroyed"),
}
