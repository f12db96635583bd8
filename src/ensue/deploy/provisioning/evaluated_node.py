"""A node of a graph, evaluated: its inputs, with the marks of secrets and of outputs of other resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.contracts.driver import ForeignPart
from ensue.core.model.data import is_mapping
from ensue.deploy.provisioning.secret_refs import with_secrets
from ensue.deploy.provisioning.sensitive import NOTHING_FOREIGN, Foreign, ForeignParts, parted, texts_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.deploy.provisioning.evaluation import Evaluated
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.secret_refs import SecretReference
    from ensue.deploy.provisioning.sensitive import Path


class Outputs(msgspec.Struct, frozen=True, kw_only=True):
    """The outputs of a resource.

    Args:
        data: all of them by name, secrets in the clear.
        secret_paths: the paths of the secret ones.
    """

    data: Any
    secret_paths: tuple[Path, ...] = ()


class EvaluatedNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node, evaluated as far as possible.

    Args:
        node: the node.
        account: the account of its driver; None: none.
        params: its parameters; of a workload its module.
        values: its plain inputs.
        secrets: its secret inputs, including those of `secret_refs`; only the driver may see them.
        own_secrets: the secrets that the definition itself contains.
        secret_refs: references to further secrets.
        secret_params: the parts of the parameters that are secret.
        secret_values: the parts of the plain inputs that are secret all the same.
        foreign: the parts of the account, values and secrets that are outputs of resources; the paths begin
            with `account`, `values` or `secrets`.
        foreign_params: the parts of the parameters that are outputs of resources.
        secret_account: the parts of the account that are secret.
        is_known: whether all of it is known, without waiting for another resource.
        is_final: whether the outputs of all that it depends on are those that they have or will have.
    """

    node: GraphNode
    account: Any
    params: Any
    values: Any
    secrets: Any
    own_secrets: Any = None
    secret_refs: Any = None
    secret_params: tuple[Path, ...] = ()
    secret_values: tuple[Path, ...] = ()
    foreign: ForeignParts = NOTHING_FOREIGN
    foreign_params: ForeignParts = NOTHING_FOREIGN
    secret_account: tuple[Path, ...] = ()
    is_known: bool = True
    is_final: bool = False

    def secret_texts(self) -> Iterator[str]:
        """Yield every secret in it as text, for a masker."""
        yield from texts_in(self.secrets)
        yield from texts_in(self.values, self.secret_values)
        yield from texts_in(self.params, self.secret_params)
        yield from texts_in(self.account, self.secret_account)

    @property
    def sensitive(self) -> tuple[Path, ...]:
        """The paths of the secrets among its inputs other than `secrets`, each below the name of a field."""
        if not (self.secret_account or self.secret_params or self.secret_values):
            return ()
        named = {"account": self.secret_account, "params": self.secret_params, "values": self.secret_values}
        return tuple((name, *path) for name, paths in named.items() for path in paths)

    def with_secrets(self, values: Mapping[SecretReference, str]) -> EvaluatedNode:
        """Return the node with references to secrets replaced by the secrets.

        Args:
            values: the value of each reference.
        """
        read = parted(
            with_secrets(self.secret_refs, {value: _stored(value, values[value]) for value in values})
        )
        return msgspec.structs.replace(
            self,
            secrets=merged_secrets(self.own_secrets, read.data),
            foreign={**self.foreign, **_below_name("secrets", read.foreign)},
        )


def foreign_inputs(
    account: Evaluated, values: Evaluated, secrets: Evaluated, references: Evaluated
) -> ForeignParts:
    """Return the foreign parts of all inputs; nodes that have none share one mapping."""
    joined: dict[Path, tuple[ForeignPart, ...]] = {}
    if account.foreign:
        joined |= _below_name("account", account.foreign)
    if values.foreign:
        joined |= _below_name("values", values.foreign)
    if secrets.foreign:
        joined |= _below_name("secrets", secrets.foreign)
    if references.foreign:
        joined |= _below_name("secrets", _without_value_keys(references.foreign))
    return joined or NOTHING_FOREIGN


def merged_secrets(first: Any, second: Any) -> Any:
    """Merge secrets with references to further ones; nulls among the references are left out."""
    if not (is_mapping(first) and is_mapping(second)):
        return second
    if not second:
        return first
    merged = dict(first)
    for key, value in second.items():
        if value is not None:
            merged[key] = merged_secrets(merged[key], value) if key in merged else value
    return merged


def _stored(reference: SecretReference, value: str) -> Foreign:
    """Return a secret from a store, marked as secret."""
    place = f"the secret store {reference.store}"
    return Foreign(value, (ForeignPart(placeholder="secret_refs", resource=place),))


def _below_name(name: str, foreign: ForeignParts) -> ForeignParts:
    return {(name, *path): parts for path, parts in foreign.items()}


def _without_value_keys(foreign: ForeignParts) -> ForeignParts:
    """Return the paths in `secret_refs` as those in the secrets: `{value: …}` becomes the value."""
    return {path[:-1] if path[-1:] == ("value",) else path: parts for path, parts in foreign.items()}
