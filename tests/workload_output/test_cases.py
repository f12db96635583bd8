"""Workloads come out as the files in `cases` say, and as the published schemas allow.

A case has two YAML documents: the workloads with the fact that they show, and what they are rendered to. The
option `--update` writes the second one anew.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import kubernetes_validate
import pytest
import yaml

from ensue.core.diagnostics import Span
from ensue.workload_output import Manifest, RenderedWorkload, render

if TYPE_CHECKING:
    from ensue.workload_output import Format, WorkloadRendering

CASES = sorted(Path(__file__).with_name("cases").glob("*.yaml"))
KUBERNETES_VERSION = "1.31"
SEPARATOR = "\n---\n"


def workloads_of(case: Path) -> list[RenderedWorkload]:
    given = yaml.safe_load(case.read_text(encoding="utf-8").split(SEPARATOR)[0])["workloads"]
    return [_workload(**fields) for fields in given]


def _workload(
    *, manifests: list[dict[str, Any]] | None = None, place: dict[str, Any] | None = None, **given: Any
) -> RenderedWorkload:
    sources = {name: base64.b64decode(content) for name, content in given.pop("sources", {}).items()}
    return RenderedWorkload(
        **given,
        sources=sources,
        manifests=tuple(Manifest(**manifest) for manifest in manifests or ()),
        place=Span(**place) if place else None,
    )


def rendered(case: Path, format_: Format) -> WorkloadRendering:
    return render(workloads_of(case), format_)


def _as_data(rendering: WorkloadRendering) -> dict[str, Any]:
    documents = {
        document.name: {
            **({"secret_paths": list(document.secret_paths)} if document.is_secret else {}),
            "data": document.data,
        }
        for document in rendering.documents
    }
    notes = [
        f"{diagnostic.severity.value} {diagnostic.code}: {diagnostic.message}"
        for diagnostic in rendering.diagnostics
    ]
    return {**({"notes": notes} if notes else {}), **({"documents": documents} if documents else {})}


@pytest.mark.parametrize("case", CASES, ids=[case.stem for case in CASES])
def test_a_case(case: Path, request: pytest.FixtureRequest) -> None:
    """The workloads of a case are rendered as it says, and their order does not matter."""
    given, _, expected = case.read_text(encoding="utf-8").partition(SEPARATOR)
    formats: tuple[Format, ...] = ("kubernetes", "compose")
    actual = {format_: _as_data(rendered(case, format_)) for format_ in formats}
    if request.config.getoption("--update") and actual != yaml.safe_load(expected):
        expected = yaml.safe_dump(actual, sort_keys=False, allow_unicode=True, width=120)
        case.write_text(given.rstrip("\n") + SEPARATOR + expected, encoding="utf-8")
    # As text: the order of the keys counts.
    assert json.dumps(actual, indent=1) == json.dumps(yaml.safe_load(expected), indent=1)
    again = {format_: _as_data(render(workloads_of(case)[::-1], format_)) for format_ in formats}
    assert again == actual


@pytest.mark.parametrize("case", CASES, ids=[case.stem for case in CASES])
def test_manifests_are_those_of_kubernetes(case: Path) -> None:
    """Every manifest is one that the schema of Kubernetes accepts, strictly."""
    for document in rendered(case, "kubernetes").documents:
        kubernetes_validate.validate(document.data, KUBERNETES_VERSION, strict=True)


def test_compose_files_are_those_of_the_specification(tmp_path: Path) -> None:
    """Every compose file is one that the schema of the Compose specification accepts."""
    files: list[Path] = []
    for case in CASES:
        for document in rendered(case, "compose").documents:
            files.append(tmp_path / f"{case.stem}.yaml")
            files[-1].write_text(yaml.safe_dump(document.data), encoding="utf-8")
    assert files
    check = Path(sys.executable).with_name("check-jsonschema")
    run = subprocess.run(
        [check, "--builtin-schema", "vendor.compose-spec", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("case", CASES, ids=[case.stem for case in CASES])
def test_no_document_shares_data_with_its_module(case: Path) -> None:
    """Changing a document changes no module, and its YAML has no anchors."""
    workloads = workloads_of(case)
    before = yaml.safe_dump([workload.module for workload in workloads])
    for format_ in ("kubernetes", "compose", "values"):
        for document in render(workloads, format_).documents:
            assert "&id" not in yaml.safe_dump(document.data)
            document.data.clear()
    assert yaml.safe_dump([workload.module for workload in workloads]) == before
