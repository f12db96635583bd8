"""Growth: compiling what the engine asks for while it runs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.errors import InternalError
from ensue.language.compiler import SlsRequest

if TYPE_CHECKING:
    from ensue.app.services import Services
    from ensue.contracts.growth import GrowthRequest, Plan


class SlsExpander:
    """Compiles SLS for whatever target the engine names.

    Args:
        services: the project.
        test: whether the run is a plan.
    """

    def __init__(self, services: Services, *, test: bool) -> None:
        self._services = services
        self._test = test

    async def expand(self, request: GrowthRequest) -> Plan:
        """Return the compiled scope.

        Raises:
            CompileError: it does not compile.
        """
        if request.kind != "apply":
            # The compiler refuses `delayed_render`, so that no other kind can be asked for.
            msg = f"growth of kind {request.kind} was asked for"
            raise InternalError(msg)
        await self._services.prepare(request.target)
        compiler = self._services.compiler(request.target, test=self._test)
        requests = [SlsRequest(name=name) for name in request.names]
        compiled = await asyncio.to_thread(compiler.compile, requests, scope=request.scope)
        return compiled.plan
