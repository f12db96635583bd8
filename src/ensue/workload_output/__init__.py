"""Renders workloads as Kubernetes manifests, a Docker Compose file, or plain values.

`apply_patch` applies the update operations of a workload, `render` renders the result. Nothing here reads a
file, resolves a placeholder, or changes a cluster.

Source: resource graph document, "Building and executing"; RFC 6902; the Score specification.
"""

from __future__ import annotations

from ensue.workload_output.containers import CONTAINER_KEYS
from ensue.workload_output.documents import (
    Document,
    Format,
    Manifest,
    RenderedWorkload,
    WorkloadRendering,
    manifests_of,
)
from ensue.workload_output.literals import with_data_marked, without_marks
from ensue.workload_output.patch import PatchError, apply_patch
from ensue.workload_output.rendering import render

__all__ = [
    "CONTAINER_KEYS", "Document", "Format", "Manifest", "PatchError", "RenderedWorkload",
    "WorkloadRendering", "apply_patch", "manifests_of", "render", "with_data_marked", "without_marks",
]  # fmt: skip
