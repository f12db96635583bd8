"""The plan of one state whose arguments are data: no SLS is compiled, and nothing in them is a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.contracts.functions import RENDERS
from ensue.core.contracts.growth import Plan
from ensue.core.errors import DriverError
from ensue.core.model.chunk import Chunk
from ensue.core.model.near_names import near
from ensue.core.model.source_document import NoDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.data import Data
    from ensue.core.model.srn import Srn
    from ensue.language.functions.functions import Functions


async def state_plan(
    functions: Functions, function: str, name: str, arguments: Mapping[str, Data], target: Srn
) -> Plan:
    """Return the plan of one state, at the top of a run.

    Args:
        functions: the state functions of the target.
        function: `module.function`.
        name: the state's ID and name.
        arguments: what it is called with.
        target: what it runs on.

    Raises:
        DriverError: the target has no such function, or it does not take such arguments.
    """
    module, _, short = function.rpartition(".")
    await functions.get_ready(module)
    if problem := _problem(functions, module, short, arguments, target):
        raise DriverError(problem)
    chunk = Chunk(
        id=name,
        name=name,
        module=module,
        function=short,
        arguments=dict(arguments),
        sls="",
        order=0,
        document=NoDocument(),
        keys=(),
    )
    return Plan(chunks=(chunk,), scope="", target=target)


def _problem(
    functions: Functions, module: str, function: str, arguments: Mapping[str, Data], target: Srn
) -> str:
    """Return why the state cannot be called with its arguments; empty if it can."""
    signature = functions.signature(module, function)
    state = functions.find(module, function)
    if signature is None or state is None:
        return functions.not_available(module, function, target.type)
    full_name, given = f"{module}.{function}", arguments.keys()
    if missing := sorted(signature.required - given):
        return f"{full_name} needs {', '.join(missing)}"
    if not signature.passes_on(dict(arguments)) and (odd := sorted(given - signature.names)):
        return f"{full_name} takes no {', '.join(odd)}{near(odd[0], signature.names)}"
    for text, renderer in getattr(state, RENDERS, {}).items():
        if text in given and arguments.get(renderer):
            # It may contain outputs, which are data and never a template.
            return f"{full_name}: {text} is not rendered for a resource; put the template into a file"
    return ""
