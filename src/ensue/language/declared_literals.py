"""Literals of SLS that are secrets because a state declares them in `sensitive`.

The masker learns them when the SLS is compiled, before anything of it is shown, and no template that contains
one is stored. Values that states return are not known here; the engine handles these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.declared_secrets import declared_literals, declared_secrets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.masking import Masker
    from ensue.language.kept_templates import KeptTemplates


class DeclaredLiterals:
    """The literals of one project.

    Args:
        masker: learns them.
        templates: the compiled templates.
    """

    def __init__(self, masker: Masker, templates: KeptTemplates) -> None:
        self._masker = masker
        self._templates = templates

    def learn(self, declaring: Sequence[Mapping[str, Any]]) -> None:
        """Learn the literals of states.

        Args:
            declaring: the arguments of the states that have an argument `sensitive`.
        """
        for arguments in declaring:
            self._masker.add(*declared_secrets(arguments))
            self._templates().exclude(declared_literals(arguments))

    def not_known(self) -> None:
        """Store no template of an SLS that does not compile."""
        if self._templates.opened is not None:
            self._templates.opened.forget()
