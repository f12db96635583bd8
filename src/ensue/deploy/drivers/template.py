"""The driver `template`: outputs and manifests from Jinja templates.

`drivers.templates.steps` describes the templates and what each sees.

Source: Humanitec, "Template driver".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.deploy.drivers.templates.driver import TemplateDriver
from ensue.deploy.drivers.templates.jinja import Jinja

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.driver import CodeKind

CODE: Final[Mapping[str, CodeKind]] = {"templates": "jinja"}
"""Which inputs are code; see `ensue.core.contracts.driver`."""

PLAN_IS_PURE: Final = True

INSERTS_AS_DATA: Final = True
"""It inserts outputs of resources into its templates as data; see `drivers.templates.insertions`."""

_DRIVER: Final = TemplateDriver(Jinja())

create = _DRIVER.render
update = _DRIVER.render
delete = _DRIVER.delete
plan = _DRIVER.plan
check = _DRIVER.check
fingerprint = _DRIVER.fingerprint
