"""What compiles a project: its functions, its own code, its renderers.

It is the second of the three values of an opened project.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.language.custom.project_code import ProjectCode
from ensue.language.declared_literals import DeclaredLiterals
from ensue.language.functions.functions import Functions
from ensue.language.functions.type_functions import TypeLoaders
from ensue.language.jinja_settings import JinjaSettings
from ensue.language.kept_templates import KeptTemplates
from ensue.language.pipe import DEFAULT_PIPE
from ensue.language.renderers.pgp_messages import PgpMessages
from ensue.language.renderers.project_rendering import ProjectRendering
from ensue.language.renderers.renderers import Renderers

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.function_docs import Documentation
    from ensue.core.contracts.further_functions import BridgeToSalt
    from ensue.core.model.srn import Srn
    from ensue.language.custom.code_context import CodeContext
    from ensue.language.targets.project_stores import ProjectStores


class Compilation(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """What SLS, pillar and templates of one project are compiled with.

    Args:
        code: the project's own code.
        states: the state functions of this machine.
        modules: its execution functions.
        loaders: the functions of every type of resource.
        templates: the compiled templates for later processes.
        literals: the literals that states declare as secrets.
        renderers: the renderers of targets.
        document: makes the documentation of the state functions and the execution functions of a type.
    """

    code: ProjectCode
    states: Functions
    modules: Functions
    loaders: TypeLoaders
    templates: KeptTemplates
    literals: DeclaredLiterals
    renderers: Renderers
    document: Callable[[Functions, Functions], Documentation]

    def modules_of(self, type_name: str) -> Functions:
        """Return the execution functions that resources of a type have."""
        return self.loaders.of("modules", type_name)

    def states_of(self, type_name: str) -> Functions:
        """Return the state functions that resources of a type have."""
        return self.loaders.of("states", type_name)

    def documentation(self, type_name: str) -> Documentation:
        """Return the documentation of the functions that resources of a type have."""
        return self.document(self.states_of(type_name), self.modules_of(type_name))


def compilation_of(
    stores: ProjectStores,
    bridge: BridgeToSalt,
    context: Callable[[Srn], CodeContext],
    document: Callable[[Functions, Functions], Documentation],
) -> Compilation:
    """Return what compiles a project.

    Args:
        stores: the project before anything of it is compiled.
        bridge: what an installed Salt provides.
        context: returns the context of a target, for the project's own code; not called before code runs.
        document: see `Compilation`.
    """
    code = ProjectCode(stores, bridge, context)
    states = Functions("ensue.library.states", code.states(), bridge)
    modules = Functions("ensue.library.modules", code.modules(), bridge)
    templates = KeptTemplates(stores.settings.cachedir / "templates", stores.masker.text)
    return Compilation(
        code=code,
        states=states,
        modules=modules,
        loaders=TypeLoaders(states, modules, stores.plugins, stores.plugins.sources),
        templates=templates,
        literals=DeclaredLiterals(stores.masker, templates),
        renderers=Renderers(stores.roots, _rendering(stores, templates), code),
        document=document,
    )


def _rendering(stores: ProjectStores, templates: KeptTemplates) -> ProjectRendering:
    option = stores.settings.option
    return ProjectRendering(
        jinja=JinjaSettings(
            options={**(option("jinja_env") or {}), **(option("jinja_sls_env") or {})},
            allow_undefined=bool(option("allow_undefined", default=False)),
            kept=templates,
        ),
        default_pipe=option("renderer", DEFAULT_PIPE),
        decrypt=PgpMessages(stores.settings, stores.masker, stores.loop),
        see_source=stores.masker.add_source,
    )
