"""`--image` of `ensue graph` and `ensue deploy`: images that a build makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

CONTEXT = ("--app", "shop", "--env", "dev", "--env-type", "development")
SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: NAME}
containers:
  main: {image: .}
  proxy: {image: "registry.example/proxy:1"}
"""


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """A project with two workloads whose images are still to be named."""
    shell = Shell(tmp_path / "project")
    for name in ("web", "api"):
        shell.write(f"{name}.yaml", SCORE.replace("NAME", name))
    return shell


def images(document: Any) -> dict[str, list[str]]:
    return {
        node["params"]["id"]: [
            container["image"] for container in node["params"]["spec"]["containers"].values()
        ]
        for node in document["nodes"]
    }


def test_an_image_is_for_containers_without_one(project: Shell) -> None:
    """One with a workload's name is for that, the other one for the rest; other containers keep theirs."""
    ended = project.run("graph", "web.yaml", "api.yaml", *CONTEXT, "--image", "i:1", "--out", "json")
    assert images(ended.document) == {name: ["i:1", "registry.example/proxy:1"] for name in ("api", "web")}
    words = ("--image", "i:1", "--image", "web=r.example:5000/web@sha256:0", "--out", "json")
    ended = project.run("graph", "web.yaml", "api.yaml", *CONTEXT, *words)
    assert images(ended.document) == {
        "api": ["i:1", "registry.example/proxy:1"],
        "web": ["r.example:5000/web@sha256:0", "registry.example/proxy:1"],
    }


def test_a_deployment_renders_the_image(project: Shell) -> None:
    """Without one it is refused with the option that names it; a new image is an update."""
    deploy = ("deploy", "web.yaml", *CONTEXT, "--render", "compose", "--to", "out", "--out", "json")
    ended = project.run(*deploy)
    assert ended.code == 1
    assert "--image" in ended.err
    made = project.run(*deploy, "--image", "i:1").document
    assert "image: i:1" in next((project.root / "out").iterdir()).read_text()
    drawn = project.run("graph", "web.yaml", *CONTEXT, "--image", "i:1", "--out", "json").document
    assert made["hash"] == drawn["hash"]
    for image, status in (("i:1", "unchanged"), ("web=i:2", "updated")):
        again = project.run(*deploy, "--image", image).document
        assert [node["status"] for node in again["nodes"]] == [status]


def test_a_state_names_images(project: Shell) -> None:
    """`images` of `graph.deployed` is the same."""
    project.write(
        "states/shop.sls",
        "shop:\n  graph.deployed:\n    - app: shop\n    - env: dev\n    - env_type: development\n"
        "    - score: web.yaml\n    - images: {web: 'i:3'}\n    - render: compose\n    - render_to: out\n",
    )
    ended = project.run("apply", "shop")
    assert ended.code == 0, ended.err
    assert "image: i:3" in next((project.root / "out").iterdir()).read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("web.yaml", *CONTEXT, "--image", "wbe=i:1"), "E0829"),
        (("web.yaml", *CONTEXT, "--image", "web="), "write IMAGE or WORKLOAD=IMAGE"),
        (("web.yaml", *CONTEXT, "--image", "i:1", "--image", "i:2"), "the image is 'i:1' already"),
        (("--image", "i:1"), "--image goes with a Score file"),
    ],
)
def test_a_wrong_image_is_refused(project: Shell, words: tuple[str, ...], message: str) -> None:
    """A workload that is not there, no image, two images, nothing to deploy."""
    ended = project.run("graph", *words)
    assert ended.code != 0
    assert message in ended.err


def test_an_image_is_not_taken_away_by_leaving_out_the_option(project: Shell) -> None:
    """The plan and the deployment refuse it and name the image; the first deployment is warned only."""
    deploy = ("deploy", "web.yaml", *CONTEXT)
    first = project.run(*deploy)
    assert (first.code, "warning[E0808]: the workload web has no image\n" in first.err) == (0, True)
    assert project.run(*deploy, "--image", "i:2").code == 0
    for words, severity in ((("--plan",), "warning"), ((), "error")):
        ended = project.run(*deploy, *words)
        assert ended.code == 1
        assert f"{severity}[E0808]: the workload web has no image: it had i:2" in ended.err
        assert "--image web=i:2" in ended.err
    assert project.run(*deploy, "--image", "web=i:3").code == 0
    merged = project.run("deploy", "api.yaml", *CONTEXT, "--merge", "--image", "i:4", "--out", "json")
    assert images(merged.document)["web"][0] == "i:3"
