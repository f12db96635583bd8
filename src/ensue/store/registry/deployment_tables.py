"""The rows of deployments in a database; imported when a store is opened, as `tables` is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import sqlalchemy as sa

from ensue.store.registry.schema import deployments

if TYPE_CHECKING:
    from collections.abc import Iterator

_C = deployments.c
_OF_ENVIRONMENT: Final = sa.and_(
    _C.org == sa.bindparam("key_org"), _C.app == sa.bindparam("key_app"), _C.env == sa.bindparam("key_env")
)
_THIS: Final = sa.and_(_OF_ENVIRONMENT, _C.number == sa.bindparam("key_number"))
_NEWEST: Final = sa.select(sa.func.max(_C.number)).where(_OF_ENVIRONMENT)
_ONE: Final = sa.select(_C.record, _C.content).where(_THIS)
_RECORDS: Final = sa.select(_C.org, _C.app, _C.env, _C.number, _C.record).order_by(
    _C.org, _C.app, _C.env, _C.number.desc()
)
_NAMES: Final = sa.select(_C.org, _C.app, _C.env, _C.number).order_by(_C.org, _C.app, _C.env, _C.number)
_OLDER: Final = sa.delete(deployments).where(_OF_ENVIRONMENT, _C.number <= sa.bindparam("key_number"))


class DeploymentName(NamedTuple):
    """What identifies a deployment.

    Args:
        org: the organization; may be empty.
        app: the application.
        env: the environment.
        number: its number in the environment.
    """

    org: str
    app: str
    env: str
    number: int


class DeploymentRows:
    """The rows over one connection.

    Args:
        connection: inside a transaction when anything is to be written.
    """

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def newest(self, org: str, app: str, env: str) -> int:
        """Return the number of the last deployment of an environment; 0: there is none."""
        keys = _keys(DeploymentName(org, app, env, 0))
        return self._connection.execute(_NEWEST, keys).scalar() or 0

    def find(self, name: DeploymentName) -> tuple[bytes, bytes] | None:
        """Return the sealed record and set of a deployment; None: there is none."""
        row = self._connection.execute(_ONE, _keys(name)).first()
        return None if row is None else (bytes(row[0]), bytes(row[1]))

    def records(self, **environment: str | None) -> Iterator[tuple[DeploymentName, bytes]]:
        """Yield the sealed records of deployments, by environment, the newest of each first.

        Args:
            environment: only those with this `org`, `app` and `env`; None: any.
        """
        conditions = [_C[key] == value for key, value in environment.items() if value is not None]
        for row in self._connection.execute(_RECORDS.where(*conditions)):
            yield DeploymentName(*row[:4]), bytes(row[4])

    def names(self) -> Iterator[DeploymentName]:
        """Yield the names of all deployments, by environment and number."""
        for row in self._connection.execute(_NAMES):
            yield DeploymentName(*row)

    def add(self, name: DeploymentName, record: bytes, content: bytes) -> None:
        """Add a deployment.

        Args:
            name: what identifies it.
            record: its record, sealed.
            content: its set, sealed.
        """
        values = {**name._asdict(), "record": record, "content": content}
        self._connection.execute(sa.insert(deployments), values)

    def change(self, name: DeploymentName, *, record: bytes, content: bytes | None = None) -> None:
        """Give a deployment another record, and another set unless that is None."""
        values = {"record": record} if content is None else {"record": record, "content": content}
        statement = sa.update(deployments).where(_THIS).values(values)
        self._connection.execute(statement, _keys(name))

    def remove_older(self, name: DeploymentName) -> None:
        """Remove a deployment and all before it."""
        self._connection.execute(_OLDER, _keys(name))


def _keys(name: DeploymentName) -> dict[str, str | int]:
    return {f"key_{key}": value for key, value in name._asdict().items()}
