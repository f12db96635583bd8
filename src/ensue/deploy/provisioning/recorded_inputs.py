"""The inputs of a resource as its record keeps them, packed: most of them are never read.

With what a driver says of sources outside, they are all that its result depends on, so a mark of both tells
whether it has to be called again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.deploy.provisioning.canonical import canonical
from ensue.deploy.provisioning.sensitive import Path  # noqa: TC001 -- msgspec reads the types of fields

if TYPE_CHECKING:
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.evaluated_node import EvaluatedNode

_ENCODER: Final = msgspec.msgpack.Encoder(enc_hook=str)


class RecordedInputs(msgspec.Struct, frozen=True, omit_defaults=True):
    """Inputs and outputs as records keep them.

    Args:
        account: the account of the driver.
        params: the parameters.
        values: the plain inputs.
        secrets: the secret inputs.
        outputs: the outputs; None: they are not known.
        secret: the paths of the secrets outside `secrets`, each below the name of a field.
    """

    account: Any = None
    params: Any = None
    values: Any = None
    secrets: Any = None
    outputs: Any = None
    secret: tuple[Path, ...] = ()

    def content(self, driver: str, fingerprint: str) -> bytes:
        """Return all that the result of a driver depends on, for the mark of a record.

        Args:
            driver: its name.
            fingerprint: what it says of sources outside; empty: there are none.
        """
        inputs = [self.account, self.params, self.values, self.secrets]
        return canonical([driver, *inputs, *self.secret, fingerprint])


def inputs_of(evaluated: EvaluatedNode) -> RecordedInputs:
    """Return the inputs of a resource, without its outputs."""
    return RecordedInputs(
        account=evaluated.account,
        params=evaluated.params,
        values=evaluated.values,
        secrets=evaluated.secrets,
        secret=evaluated.sensitive,
    )


def packed_inputs(evaluated: EvaluatedNode) -> bytes:
    """Return the inputs of a resource as a record keeps them."""
    return _ENCODER.encode(inputs_of(evaluated))


def recorded_inputs(record: ActiveResource) -> RecordedInputs | None:
    """Return the inputs of the last successful call of a driver; None: an earlier version kept none.

    Args:
        record: the record of a resource.
    """
    return msgspec.msgpack.decode(record.inputs, type=RecordedInputs) if record.inputs else None
