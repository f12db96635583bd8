"""Shared by the commands that draw: the forms of a drawing, and the drawing of a deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ensue.cli.session import Session
    from ensue.deploy.provisioning.identity import Context
    from ensue.output.drawing.drawing import ScopeBox
    from ensue.output.drawing.from_resources import ResourceToDraw

FORMS: Final = ("dot", "mermaid", "svg")
"""The values of `--out` for a drawing."""


def drawing_lines_of(session: Session, top: ScopeBox) -> Iterable[str]:
    """Return the lines of a drawing in the form that `--out` names."""
    match session.out:
        case "dot":
            from ensue.output.drawing.dot import dot_lines

            return dot_lines(top, session.masker)
        case "mermaid":
            from ensue.output.drawing.mermaid import mermaid_lines

            return mermaid_lines(top, session.masker)
        case "svg":
            from ensue.output.drawing.svg import svg_lines

            return svg_lines(top, session.masker)
        case _:
            from ensue.output.drawing.text import drawing_lines

            return drawing_lines(top, session.masker, session.stdout_palette)


def drawn_resources(context: Context, resources: Sequence[ResourceToDraw], form: str) -> ScopeBox | None:
    """Return the drawing of a deployment; None if it is too large for a picture of that form."""
    from ensue.output.drawing.deployment_picture import fits_a_picture
    from ensue.output.drawing.from_resources import deployment_name, draw_resources

    top = draw_resources(deployment_name(context), resources)
    return None if form == "svg" and not fits_a_picture(top) else top


def too_many(resources: Sequence[ResourceToDraw]) -> str:
    """Return the message that there are too many resources for a picture."""
    edges = sum(len(resource.edges) for resource in resources)
    return f"{len(resources)} resources with {edges} dependencies are too many for a picture"
