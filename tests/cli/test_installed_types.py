"""Resource types of distributions that pip has installed: entry points of the group `ensue.resources`."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ROUTER = """
def check(config):
    return [] if "url" in config else ["`url` is missing"]
class Router:
    def __init__(self, url): self.url = url
def connect(context): return Router(context.config["url"])
def ping(connection): return connection.url.startswith("https:")
def grains(connection): return {"vendor": "acme"}
def discover(opts): return {"found-01": {"url": "https://found"}}
"""
ROUTE = """
def get(ctx): return ctx.connection.url
"""
PILLAR = "resources: {router: {r1: {url: 'https://one'}, r2: {url: 'ftp://two'}}}\n"


def wheel(folder: Path, name: str, version: str, entry: str, files: dict[str, str]) -> Path:
    """Write a wheel of pure Python, as a build backend does."""
    info = f"{name}-{version}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[ensue.resources]\n{entry}\n",
    }
    rows: list[str] = []
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in files.items():
            archive.writestr(member, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            rows.append(f"{member},sha256={digest},{len(text.encode())}")
        archive.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,\n"]))
    return path


def install(site: Path, path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet"]
    subprocess.run(
        [*pip, "--disable-pip-version-check", "--root-user-action=ignore", "--target", str(site), str(path)],
        check=True,
    )


class Installed:
    """A project, and a folder of installed distributions that is on its path."""

    def __init__(self, root: Path, site: Path) -> None:
        self.root = root
        self.site = site

    def ensue(self, *words: str) -> tuple[int, Any, str]:
        """Run the real command; return its exit code, its JSON document and stderr."""
        environment = {**os.environ, "PYTHONPATH": str(self.site)}
        command = [sys.executable, "-m", "ensue", *words, "--id", "m", "--out", "json"]
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, cwd=self.root, env=environment
        )
        return done.returncode, json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def acme_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that pip has installed the distribution of a type in."""
    folder = tmp_path_factory.mktemp("acme")
    files = {
        "acme_routers/__init__.py": ROUTER,
        "acme_routers/modules/__init__.py": "",
        "acme_routers/modules/route.py": ROUTE,
    }
    install(folder / "site", wheel(folder, "acme_routers", "1.2", "router = acme_routers", files))
    return folder / "site"


@pytest.fixture
def project(acme_site: Path, tmp_path: Path) -> Installed:
    root, site = tmp_path / "project", tmp_path / "site"
    for name, text in (("top.sls", "base: {'*': [r]}\n"), ("r.sls", PILLAR)):
        (root / "pillar").mkdir(parents=True, exist_ok=True)
        (root / "pillar" / name).write_text(text)
    return Installed(root, shutil.copytree(acme_site, site))


def test_its_resources_are_listed_and_called(project: Installed) -> None:
    """Those of pillar and those that it discovers; hooks, overrides and grains are its own."""
    code, listed, _ = project.ensue("resources", "list")
    assert (code, sorted(listed)) == (0, ["minion:m", "router:found-01", "router:r1", "router:r2"])
    code, answers, _ = project.ensue("call", "T@router and G@vendor:acme", "route.get")
    assert (code, answers) == (0, {"found-01": "https://found", "r1": "https://one", "r2": "ftp://two"})
    code, answers, _ = project.ensue("call", "T@router", "test.ping")
    assert (code, answers["r1"], "r2" in answers["r2"]) == (2, True, True), answers
    code, answers, _ = project.ensue("call", "r1", "cmd.run", "uptime")
    assert (code, answers) == (2, {"r1": "cmd.run is not available for router"})


def test_a_configuration_that_it_refuses_has_a_place(project: Installed) -> None:
    """Its own check speaks, at the resource's line."""
    (project.root / "pillar/r.sls").write_text("resources:\n  router:\n    r1: {host: x}\n")
    code, _, stderr = project.ensue("resources", "list")
    assert code == 0
    assert "E0703: pillar/r.sls:3:5: router:r1 is not used: `url` is missing" in stderr


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import nothing_of_this_name\n", "No module named 'nothing_of_this_name'"),
        ("def connect(context, more): return context\n", "more"),
        ("def connect(:\n", "invalid syntax"),
    ],
)
def test_one_that_does_not_load_names_its_distribution(
    source: str, why: str, project: Installed, tmp_path: Path
) -> None:
    """Where pillar names the type; a project that does not is not hindered by it."""
    broken = wheel(tmp_path, "bad_boxes", "0.3", "badbox = bad_boxes", {"bad_boxes/__init__.py": source})
    install(project.site, broken)
    assert project.ensue("resources", "list")[0] == 0
    (project.root / "pillar/r.sls").write_text("resources:\n  badbox:\n    b1: {}\n")
    code, _, stderr = project.ensue("resources", "list")
    assert code == 1
    assert "error[E0710]" in stderr
    assert "bad-boxes 0.3" in stderr
    assert why in stderr
    assert "Traceback" not in stderr


def test_two_distributions_with_one_type_are_both_named(project: Installed, tmp_path: Path) -> None:
    """Which of them is meant is not guessed."""
    other = wheel(
        tmp_path, "more_routers", "2", "router = more_routers", {"more_routers/__init__.py": ROUTER}
    )
    install(project.site, other)
    code, _, stderr = project.ensue("resources", "list")
    assert code == 1
    assert "acme-routers" in stderr
    assert "more-routers" in stderr
