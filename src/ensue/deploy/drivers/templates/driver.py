"""The drivers `template` and `humanitec/template`, which differ only in the language of their templates.

Source: Humanitec, "Template driver".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.deploy.drivers.templates.inputs import template_faults
from ensue.deploy.drivers.templates.steps import planned, provisioned

if TYPE_CHECKING:
    from ensue.core.contracts.driver import DriverRequest, Planned, Provisioned
    from ensue.deploy.drivers.templates.language import TemplateLanguage


class TemplateDriver:
    """The functions of a template driver.

    Args:
        language: the language of the templates.
    """

    def __init__(self, language: TemplateLanguage) -> None:
        self._language = language

    async def render(self, request: DriverRequest) -> Provisioned:
        """Render the templates, with the last cookie if there is one: `create` and `update`.

        Args:
            request: the resource.

        Raises:
            DriverError: a template fails, or its text is not what is expected there.
        """
        return await provisioned(request, self._language)

    async def delete(self, request: DriverRequest) -> None:
        """Do nothing: there is nothing to remove.

        Args:
            request: the resource.
        """

    async def plan(self, request: DriverRequest) -> Planned:
        """Return the outputs if the inputs are known and nothing is random.

        Args:
            request: the resource.

        Raises:
            DriverError: a template fails, or its text is not what is expected there.
        """
        return await planned(request, self._language)

    async def fingerprint(self, request: DriverRequest) -> str:
        """Return a text that differs for resources with secrets, which earlier releases did not track.

        Args:
            request: the resource.
        """
        return "secrets are tracked" if request.secrets else ""

    def check(self, request: DriverRequest) -> list[str]:
        """Return what is wrong with the templates, as far as they are known.

        Args:
            request: the resource.
        """
        return template_faults(request, self._language)
