"""The outputs of a driver as one mapping, with the paths of the secrets among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import DriverError
from ensue.core.model.data import is_mapping
from ensue.core.model.merged import merged
from ensue.deploy.provisioning.evaluated_node import Outputs
from ensue.deploy.provisioning.sensitive import below_field, differing, leaf_paths, same_at, texts_in

if TYPE_CHECKING:
    from ensue.core.contracts.driver import Provisioned
    from ensue.deploy.provisioning.evaluated_node import EvaluatedNode
    from ensue.deploy.provisioning.surroundings import ProvisioningServices


def outputs_of(evaluated: EvaluatedNode, made: Provisioned, run_services: ProvisioningServices) -> Outputs:
    """Return the outputs of a driver as one mapping, and add the secrets to the masker.

    Args:
        evaluated: the resource with its inputs.
        made: what the driver returned.
        run_services: the masker is used.

    Raises:
        DriverError: they are not a mapping.
    """
    if not (is_mapping(made.values) and is_mapping(made.secrets)):
        raise DriverError(f"{evaluated.node.driver}: its outputs are not a mapping")
    run_services.learn(texts_in(made.secrets))
    run_services.learn(texts_in({"values": made.values, "manifests": made.manifests}, made.sensitive))
    data = merged(made.values, made.secrets) if made.secrets else made.values
    paths = dict.fromkeys(
        [
            *leaf_paths(made.secrets),
            *(path for path in below_field(made.sensitive, "values") if same_at(made.values, data, path)),
            *(path for path in evaluated.secret_values if same_at(evaluated.values, data, path)),
            *differing(data, run_services.masked(data)),
        ]
    )
    return Outputs(data=data, secret_paths=tuple(paths))
