"""The renderers of a project's targets, one for each target, and those of its pillar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.language.renderers.rendering import SlsRenderer

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.model.srn import Srn
    from ensue.language.custom.code_context import CodeContext
    from ensue.language.custom.project_code import ProjectCode
    from ensue.language.renderers.project_rendering import ProjectRendering
    from ensue.language.settings.roots import Roots


class Renderers:
    """Makes the renderers of one project.

    Args:
        roots: the file roots.
        project: what all renderings of the project share.
        code: has the project's own renderers.
    """

    def __init__(self, roots: Roots, project: ProjectRendering, code: ProjectCode) -> None:
        self._roots = roots
        self._project = project
        self._code = code
        self._made: dict[Srn, SlsRenderer] = {}

    def of(self, srn: Srn, context: Callable[[], CodeContext]) -> SlsRenderer:
        """Return the renderer of a target, which keeps the templates that it has compiled.

        Args:
            srn: the target.
            context: returns its context.
        """
        if srn not in self._made:
            self._made[srn] = self.make(self._roots, context())
        return self._made[srn]

    def make(self, roots: Roots, context: CodeContext, *, has_states: bool = True) -> SlsRenderer:
        """Return a renderer of files below some roots.

        Args:
            roots: the roots.
            context: the target that they are rendered for.
            has_states: whether the files are SLS, not pillar.
        """
        return SlsRenderer(
            roots,
            context.template_variables,
            project=self._project,
            own_stage=lambda name: self._code.renderer(name, context),
            has_states=has_states,
        )
