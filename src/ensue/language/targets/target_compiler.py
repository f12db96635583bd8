"""The compiler of the SLS of one target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.language.argument_check import OnUnknown
from ensue.language.checks import Checks
from ensue.language.compiler import Compiler
from ensue.language.functions.state_catalog import StateCatalog
from ensue.language.targets.registers_check import RegistersCheck
from ensue.language.targets.target_context import renderer_of

if TYPE_CHECKING:
    from ensue.core.model.srn import Srn
    from ensue.language.renderers.rendering import SlsRenderer
    from ensue.language.targets.targets import Targets


def compiler_of(services: Targets, srn: Srn, *, test: bool, renderer: SlsRenderer | None = None) -> Compiler:
    """Return the compiler of a target.

    Args:
        services: the project.
        srn: the target.
        test: whether the run is a plan.
        renderer: renders its SLS; None: the target's own renderer.
    """
    stores, compilation = services.stores, services.compilation
    return Compiler(
        roots=stores.roots,
        renderer=renderer or renderer_of(services, srn, test=test),
        catalog=StateCatalog(compilation.loaders, srn.type),
        target=srn,
        auto_order=bool(stores.settings.option("state_auto_order", default=True)),
        enforced=stores.enforced,
        checks=Checks(
            vocabulary=services.vocabulary,
            registers=RegistersCheck(stores.plugins, services.directory.index.declared_as),
            on_unknown=OnUnknown.of(stores.settings.option),
            literals=compilation.literals,
            minion=stores.minion.id if stores.other_minions is not None else "",
            is_resource=srn != stores.minion,
        ),
    )
