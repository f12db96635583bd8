"""Renders the workloads of a deployment in one format.

Nothing is read or written: documents are data, and the caller writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.workload_output.compose import compose_document
from ensue.workload_output.documents import Document, WorkloadRendering
from ensue.workload_output.kubernetes import kubernetes_documents
from ensue.workload_output.literals import without_marks
from ensue.workload_output.modules import read_module
from ensue.workload_output.names import file_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.workload_output.documents import Format, RenderedWorkload


def render(workloads: Sequence[RenderedWorkload], format: Format) -> WorkloadRendering:  # noqa: A002 -- what a user calls it
    """Render workloads that are deployed together.

    Args:
        workloads: the workloads, in any order.
        format: `kubernetes`: manifests; `compose`: one Docker Compose file; `values`: the modules.

    Returns:
        The documents, and the problems of the workloads. If there is an error, there are no documents.
    """
    in_order = sorted(workloads, key=lambda workload: workload.name)
    if format == "values":
        return WorkloadRendering(documents=tuple(_values(workload) for workload in in_order), diagnostics=())
    modules = [read_module(workload) for workload in in_order]
    documents = kubernetes_documents(modules) if format == "kubernetes" else compose_document(modules)
    rendering = WorkloadRendering(
        documents=tuple(_copied(document) for document in documents),
        diagnostics=tuple(diagnostic for module in modules for diagnostic in module.findings.diagnostics),
    )
    return (
        WorkloadRendering(documents=(), diagnostics=rendering.diagnostics)
        if rendering.has_errors
        else rendering
    )


def _copied(document: Document) -> Document:
    """Return a copy of a document that shares no data with a module, nor between its own parts."""
    return Document(name=document.name, data=without_marks(document.data), secret_paths=document.secret_paths)


def _values(workload: RenderedWorkload) -> Document:
    return Document(
        name=file_name(workload.name), data=without_marks(workload.module), secret_paths=workload.secret_paths
    )
