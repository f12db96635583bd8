"""The deployments of environments in the cross-run store, encrypted; the newest ones of each are kept.

Implements `ensue.deploy.provisioning.deployment_records.DeploymentHistory`.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.errors import StoreError, TamperedError
from ensue.deploy.provisioning.deployment_records import KEPT_DEPLOYMENTS, DeploymentRecord, KeptDeployment
from ensue.deploy.provisioning.environment_sets import DeploymentSet
from ensue.deploy.provisioning.identity import Context

if TYPE_CHECKING:
    from ensue.core.contracts.vault import Vault
    from ensue.store.registry.deployment_tables import DeploymentName
    from ensue.store.registry.store import CrossRunStore

_ENCODER: Final = msgspec.msgpack.Encoder(enc_hook=str)
_RECORDS: Final = msgspec.msgpack.Decoder(DeploymentRecord)
_SETS: Final = msgspec.msgpack.Decoder(DeploymentSet)


class DeploymentStore:
    """The deployments of all environments of a store.

    Args:
        store: the cross-run store.
        vault: encrypts them.
    """

    def __init__(self, store: CrossRunStore, *, vault: Vault) -> None:
        self._store = store
        self._vault = vault

    def newest(self, context: Context) -> KeptDeployment | None:
        """Return the last deployment of an environment, None: there was none; this blocks.

        Raises:
            StoreError: it cannot be read or decrypted.
        """
        if not self._store.exists():
            return None
        with self._store.reading() as entries:
            number = entries.deployments.newest(context.org, context.app, context.env)
        return self.find(context, number) if number else None

    def find(self, context: Context, number: int) -> KeptDeployment | None:
        """Return a deployment of an environment, None: it is not kept; this blocks.

        Raises:
            StoreError: it cannot be read or decrypted.
        """
        if not self._store.exists():
            return None
        name = _name(context, number)
        with self._store.reading() as entries:
            row = entries.deployments.find(name)
        return None if row is None else self._opened(name, *row)

    def records(
        self, app: str | None = None, env: str | None = None, org: str | None = None
    ) -> list[tuple[Context, DeploymentRecord]]:
        """Return deployments with their environments, by environment, the newest of each first; this blocks.

        Args:
            app: only those of this application; None: any.
            env: only those of environments with this id; None: any.
            org: only those of this organization; None: any.

        Raises:
            StoreError: they cannot be read or decrypted.
        """
        if not self._store.exists():
            return []
        with self._store.reading() as entries:
            rows = list(entries.deployments.records(app=app, env=env, org=org))
        opened = ((name, self._record(name, content)) for name, content in rows)
        return [
            (Context(app=name.app, env=name.env, env_type=record.env_type, org=name.org), record)
            for name, record in opened
        ]

    def begin(self, context: Context, deployment: KeptDeployment) -> None:
        """Keep a deployment that begins: from now on its set is that of the environment. This blocks.

        The oldest deployments of the environment are forgotten if there are too many.

        Raises:
            StoreError: it cannot be written, or the environment was deployed since its number was chosen.
        """
        name = _name(context, deployment.record.number)
        record, content = self._sealed(name, deployment)
        with self._store.transaction() as entries:
            rows = entries.deployments
            if (newest := rows.newest(context.org, context.app, context.env)) >= name.number:
                msg = f"{context.environment} was deployed meanwhile, by deployment {newest} (deploy again)"
                raise StoreError(msg)
            rows.add(name, record, content)
            rows.remove_older(name._replace(number=name.number - KEPT_DEPLOYMENTS))

    def end(self, context: Context, record: DeploymentRecord) -> None:
        """Keep how a deployment ended; this blocks.

        Raises:
            StoreError: it cannot be written.
        """
        name = _name(context, record.number)
        sealed = self._seal(_ENCODER.encode(record), _record_of(name))
        with self._store.transaction() as entries:
            entries.deployments.change(name, record=sealed)

    def reseal(self) -> int:
        """Encrypt every deployment with the current key; return their number.

        Raises:
            StoreError: one cannot be decrypted; nothing was changed.
        """
        if not self._store.exists():
            return 0
        with self._store.transaction() as entries:
            rows = entries.deployments
            names = list(rows.names())
            for name in names:
                row = rows.find(name)
                assert row is not None  # noqa: S101 -- nobody else writes during a transaction
                record, content = self._sealed(name, self._opened(name, *row))
                rows.change(name, record=record, content=content)
        return len(names)

    def _sealed(self, name: DeploymentName, deployment: KeptDeployment) -> tuple[bytes, bytes]:
        try:
            record, content = _ENCODER.encode(deployment.record), _ENCODER.encode(deployment.set)
        except UnicodeEncodeError as error:
            # Half of a surrogate pair, which a name in an SLS may have.
            raise StoreError(f"{_set_of(name)} cannot be stored: {error}") from error
        return self._seal(record, _record_of(name)), self._seal(zlib.compress(content), _set_of(name))

    def _seal(self, plain: bytes, what: str) -> bytes:
        return self._vault.seal(plain, context=what)

    def _opened(self, name: DeploymentName, record: bytes, content: bytes) -> KeptDeployment:
        plain = self._vault.open(content, context=_set_of(name))
        try:
            return KeptDeployment(self._record(name, record), _SETS.decode(zlib.decompress(plain)))
        except (msgspec.MsgspecError, zlib.error) as error:
            raise _tampered(_set_of(name)) from error

    def _record(self, name: DeploymentName, record: bytes) -> DeploymentRecord:
        plain = self._vault.open(record, context=_record_of(name))
        try:
            return _RECORDS.decode(plain)
        except msgspec.MsgspecError as error:
            raise _tampered(_record_of(name)) from error


def _tampered(what: str) -> TamperedError:
    return TamperedError(f"{what}: its row in the store was changed (restore the store from a copy)")


def _record_of(name: DeploymentName) -> str:
    return f"the deployment {name.number} of {'/'.join(filter(None, name[:3]))}"


def _set_of(name: DeploymentName) -> str:
    return f"the set of {_record_of(name)}"


def _name(context: Context, number: int) -> DeploymentName:
    from ensue.store.registry.deployment_tables import DeploymentName

    return DeploymentName(context.org, context.app, context.env, number)
