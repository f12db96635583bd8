"""The rows of active resources in a database; imported when a store is opened, as `tables` is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import sqlalchemy as sa

from ensue.store.registry.schema import active_resources

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_C = active_resources.c
_OF_ENVIRONMENT: Final = (
    sa.select(_C.resource, _C.content)
    .where(_C.org == sa.bindparam("org"), _C.app == sa.bindparam("app"), _C.env == sa.bindparam("env"))
    .order_by(_C.resource)
)
_ALL: Final = sa.select(_C.org, _C.app, _C.env, _C.resource, _C.content).order_by(
    _C.org, _C.app, _C.env, _C.resource
)
_ORGANIZATIONS: Final = (
    sa.select(_C.org)
    .where(_C.app == sa.bindparam("app"), _C.env == sa.bindparam("env"))
    .distinct()
    .order_by(_C.org)
)
_DELETE: Final = sa.delete(active_resources).where(
    _C.org == sa.bindparam("key_org"),
    _C.app == sa.bindparam("key_app"),
    _C.env == sa.bindparam("key_env"),
    _C.resource == sa.bindparam("key_resource"),
)


class RowName(NamedTuple):
    """What identifies a row.

    Args:
        org: the organization; may be empty.
        app: the application.
        env: the environment.
        resource: the resource, `TYPE.CLASS#ID`.
    """

    org: str
    app: str
    env: str
    resource: str


class ActiveRow(NamedTuple):
    """A row.

    Args:
        name: what identifies it.
        definition: the id of the definition.
        phase: see `ensue.deploy.provisioning.active.Phase`.
        content: the whole record, sealed.
        changed_at_s: when it was written, in seconds since 1970.
    """

    name: RowName
    definition: str
    phase: str
    content: bytes
    changed_at_s: float


class ActiveRows:
    """The rows over one connection.

    Args:
        connection: inside a transaction when anything is to be written.
    """

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def of_environment(self, org: str, app: str, env: str) -> Iterator[tuple[RowName, bytes]]:
        """Yield the contents of one environment, by resource."""
        for row in self._connection.execute(_OF_ENVIRONMENT, {"org": org, "app": app, "env": env}):
            yield RowName(org, app, env, row[0]), bytes(row[1])

    def organizations(self, app: str, env: str) -> list[str]:
        """Return the organizations that have anything in an environment of this name."""
        return [row[0] for row in self._connection.execute(_ORGANIZATIONS, {"app": app, "env": env})]

    def all(self) -> Iterator[tuple[RowName, bytes]]:
        """Yield the contents of all environments."""
        for row in self._connection.execute(_ALL):
            yield RowName(*row[:4]), bytes(row[4])

    def write(self, rows: Sequence[ActiveRow]) -> None:
        """Add or replace rows."""
        self.remove([row.name for row in rows])
        if rows:
            self._connection.execute(
                sa.insert(active_resources),
                [
                    {
                        **row.name._asdict(),
                        "definition": row.definition,
                        "phase": row.phase,
                        "content": row.content,
                        "changed_at_s": row.changed_at_s,
                    }
                    for row in rows
                ],
            )

    def remove(self, names: Sequence[RowName]) -> None:
        """Remove rows; missing ones are ignored."""
        if names:
            self._connection.execute(
                _DELETE, [{f"key_{key}": value for key, value in name._asdict().items()} for name in names]
            )
