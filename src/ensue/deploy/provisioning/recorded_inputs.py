"""The inputs and outputs of a resource as its record keeps them."""

from __future__ import annotations

from typing import Any

import msgspec

from ensue.deploy.provisioning.canonical import canonical
from ensue.deploy.provisioning.sensitive import Path  # noqa: TC001 -- msgspec reads the types of fields


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
