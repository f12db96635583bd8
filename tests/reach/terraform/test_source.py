"""Sources of configurations: real Git repositories, folders, and files that are laid out."""

from __future__ import annotations

import asyncio
import base64
import getpass
import http.server
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.sshd import running_sshd

from ensue.core.errors import StateFailedError
from ensue.reach.terraform.git import RemoteRepository
from ensue.reach.terraform.source import ConfigurationSource, below, laid_out, local_folder


def git(folder: Path, *arguments: str) -> str:
    names = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    names |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, env=os.environ | names, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "modules" / "box").mkdir(parents=True)
    git(folder.parent, "init", "--quiet", "--initial-branch=main", str(folder))
    (folder / "modules" / "box" / "main.tf").write_text("# first\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    git(folder, "tag", "-a", "v1", "-m", "v1")
    (folder / "modules" / "box" / "main.tf").write_text("# second\n")
    git(folder, "commit", "--quiet", "-am", "second")
    return folder


@pytest.mark.parametrize("revision", ["", "main", "refs/heads/main", "v1", "refs/tags/v1", "COMMIT"])
def test_a_revision_is_fetched(repository: Path, tmp_path: Path, revision: str) -> None:
    """Branches, tags and whole commits; the fingerprint is the commit that is fetched."""
    if revision == "COMMIT":
        revision = git(repository, "rev-parse", "v1^{commit}")
    source = ConfigurationSource(
        repository=RemoteRepository(url=f"file://{repository}", revision=revision), path="modules/box"
    )

    commit = asyncio.run(source.copy_to(tmp_path / "copy"))

    assert commit == git(repository, "rev-parse", f"{revision or 'HEAD'}^{{commit}}")
    assert asyncio.run(source.fingerprint()) == commit
    text = (tmp_path / "copy" / "modules" / "box" / "main.tf").read_text()
    assert text == git(repository, "show", f"{commit}:modules/box/main.tf") + "\n"
    assert not (tmp_path / "copy" / ".git").exists()


def test_no_hook_runs_and_no_submodule_is_fetched(repository: Path, tmp_path: Path) -> None:
    """A repository is data: it starts nothing on this machine."""
    hook = tmp_path / "templates" / "hooks" / "post-checkout"
    hook.parent.mkdir(parents=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    hook.chmod(0o755)
    (tmp_path / "gitconfig").write_text(
        f"[init]\ntemplateDir = {hook.parent.parent}\n[submodule]\nrecurse = true\n"
    )
    (repository / ".gitmodules").write_text('[submodule "x"]\npath = x\nurl = ext::sh -c touch% ran\n')
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{commit},x")
    git(repository, "add", ".gitmodules")
    git(repository, "commit", "--quiet", "-m", "submodule")
    source = ConfigurationSource(repository=RemoteRepository(url=f"file://{repository}"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
        asyncio.run(source.copy_to(tmp_path / "copy"))

    assert (tmp_path / "copy" / "modules").is_dir()
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("url", "revision"),
    [
        ("ext::sh -c id", ""),
        ("-uhelper", ""),
        ("https://user:secret@example.org/r.git", ""),
        ("https://example.org/r.git", "--upload-pack=id"),
        ("https://example.org/r.git", "a:b"),
        ("https://example.org/r.git", "../x"),
    ],
)
def test_what_is_no_url_or_revision_is_named(url: str, revision: str) -> None:
    """Transports that start commands, options and passwords are refused before git is run."""
    problems = RemoteRepository(url=url, revision=revision).problems()

    assert len(problems) == 1
    assert "secret@" not in problems[0]


def test_transports_that_start_commands_are_refused_by_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when a user's own configuration rewrites a URL into one."""
    rewritten = f'[url "ext::touch {tmp_path / "ran"} "]\ninsteadOf = https://example.org/\n'
    (tmp_path / "gitconfig").write_text(f"{rewritten}[protocol]\nallow = always\n")
    source = ConfigurationSource(repository=RemoteRepository(url="https://example.org/x"))

    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    with pytest.raises(StateFailedError, match="not allowed"):
        asyncio.run(source.copy_to(tmp_path / "copy"))

    assert not (tmp_path / "ran").exists()


def test_a_revision_that_is_not_there_is_named(repository: Path, tmp_path: Path) -> None:
    """With the repository's URL, by fingerprint and by fetch."""
    source = ConfigurationSource(repository=RemoteRepository(url=f"file://{repository}", revision="v9"))

    with pytest.raises(StateFailedError, match=r"repository v9: there is no v9"):
        asyncio.run(source.fingerprint())
    with pytest.raises(StateFailedError, match=r"repository v9: "):
        asyncio.run(source.copy_to(tmp_path / "copy"))


def test_a_password_reaches_its_own_host_only(tmp_path: Path) -> None:
    """It is on no command line, in no error, and a host that git is redirected to does not get it."""
    asked: list[tuple[str, str]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            port = str(self.server.server_address[1])
            asked.append((port, self.headers.get("Authorization", "")))
            if port == ports[0] and self.headers.get("Authorization"):
                self.send_response(302)
                self.send_header("Location", f"http://127.0.0.1:{ports[1]}{self.path}")
            else:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
    ports = [str(server.server_address[1]) for server in servers]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    repository = RemoteRepository(
        url=f"http://127.0.0.1:{ports[0]}/r.git", username="me", password="secret-of-git"
    )

    with pytest.raises(StateFailedError) as failed:
        asyncio.run(ConfigurationSource(repository=repository).copy_to(tmp_path / "copy"))
    for server in servers:
        server.shutdown()
        server.server_close()

    assert "secret-of-git" not in str(failed.value)
    sent = "Basic " + base64.b64encode(b"me:secret-of-git").decode()
    assert (ports[0], sent) in asked
    assert [given for port, given in asked if port == ports[1] and given] == []


@pytest.mark.openssh
def test_a_repository_over_ssh(repository: Path, tmp_path: Path) -> None:
    """With a key and the host's key of the inputs; another host key is refused."""
    with running_sshd(tmp_path / "sshd", user=getpass.getuser()) as server:
        url = f"ssh://{server.user}@127.0.0.1:{server.port}{repository}"
        host = f"[127.0.0.1]:{server.port} {server.host_key}"
        given = RemoteRepository(url=url, ssh_key=server.private_key, known_hosts=host)

        commit = asyncio.run(ConfigurationSource(repository=given).copy_to(tmp_path / "copy"))
        wrong = msgspec.structs.replace(given, known_hosts="example.org " + server.host_key)
        with pytest.raises(StateFailedError, match="ost key verification failed"):
            asyncio.run(wrong.commit())

    assert commit == git(repository, "rev-parse", "HEAD")


def test_a_local_folder_is_copied_without_what_terraform_left(tmp_path: Path) -> None:
    """Its fingerprint changes with the content, and not with what is left out."""
    folder = tmp_path / "box"
    (folder / ".terraform").mkdir(parents=True)
    (folder / "main.tf").write_text("# one\n")
    source = ConfigurationSource(folder=folder)
    first = asyncio.run(source.fingerprint())
    (folder / "terraform.tfstate").write_text("{}")

    asyncio.run(source.copy_to(tmp_path / "copy"))

    assert [path.name for path in (tmp_path / "copy").iterdir()] == ["main.tf"]
    assert asyncio.run(source.fingerprint()) == first
    (folder / "main.tf").write_text("# two\n")
    assert asyncio.run(source.fingerprint()) != first


def test_local_urls(tmp_path: Path) -> None:
    """`file://` and paths are folders of this machine; everything else is for git."""
    assert local_folder("file:///opt/a%20b", tmp_path) == Path("/opt/a b")
    assert local_folder("./modules", tmp_path) == tmp_path / "modules"
    assert local_folder("https://example.org/a", tmp_path) is None
    assert local_folder("git@example.org:a", tmp_path) is None


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "link/x", "a\0b"])
def test_files_do_not_leave_the_folder(tmp_path: Path, name: str) -> None:
    """Not by way of a link of the source either."""
    folder = tmp_path / "copy"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)

    with pytest.raises(StateFailedError, match="leads out of"), laid_out(folder, {name: "text"}):
        pass

    assert not (tmp_path / "x").exists()


def test_files_are_there_only_for_a_while(tmp_path: Path) -> None:
    """With a private mode; a link of the same name is replaced, and what it leads to stays."""
    outside = tmp_path / "outside"
    outside.write_text("mine")
    folder = tmp_path / "copy"
    folder.mkdir()
    (folder / "a").symlink_to(outside)

    with laid_out(folder, {"a": "secret", "sub/b": "secret"}):
        assert (folder / "a").read_text() == "secret"
        assert (folder / "sub" / "b").stat().st_mode & 0o777 == 0o600

    assert outside.read_text() == "mine"
    assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_a_path_below(tmp_path: Path) -> None:
    """An empty path is the folder itself."""
    assert below(tmp_path, "") == tmp_path
