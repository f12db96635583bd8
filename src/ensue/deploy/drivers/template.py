"""The driver `template`: outputs and manifests from Jinja templates.

Templates are rendered in the order `init`, `cookie`, `outputs`, `secrets`, `manifests`; each sees the results
of the earlier ones, and its result is read as YAML. docs/drivers.md lists what a template sees.

Args:
    values.templates.init: any value, for the templates that follow
    values.templates.cookie: what is kept for the next deployment, as `cookie`
    values.templates.outputs: a mapping of plain outputs
    values.templates.secrets: a mapping of secret outputs
    values.templates.manifests: Kubernetes manifests of the workloads that use the resource, by file name
    secrets.templates.outputs: templates of secret outputs, if they have secrets in their text
    values: further keys are data, which templates read as `driver.values`
    secrets: further keys are data, which templates read as `driver.secrets`

Example:
    kind: Definition
    metadata: {id: s3}
    entity:
      type: s3
      driver_type: template
      driver_inputs:
        values:
          region: eu-central-1
          templates:
            outputs: |
              bucket: shop-{{ id }}
              region: {{ driver.values.region }}
      criteria: [{}]

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
