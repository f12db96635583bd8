"""The rows of enforced states: made of returns, with secrets masked and encrypted, and opened again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.made_thing import thing_of_name
from ensue.core.model.sensitive_paths import changed_paths, hide_paths, values_at
from ensue.store.registry.enforced_form import EnforcedEntry, EnforcedRow
from ensue.store.registry.enforced_views import kept_state, sealing_context, state_of_row

if TYPE_CHECKING:
    from collections.abc import Collection

    from ensue.core.contracts.vault import Vault
    from ensue.core.masking import Masker
    from ensue.core.model.data import Data
    from ensue.core.model.enforced import EnforcedBy, EnforcedState
    from ensue.core.model.made_thing import MadeByState
    from ensue.core.model.returns import Return


class EnforcedRows:
    """Makes rows and opens them.

    Args:
        vault: encrypts what is secret.
        masker: masks the secrets of this process; learns those that are decrypted.
        keep_output_bytes: how much of a long text is kept.
        environment: the environment of the rows that it makes.
    """

    def __init__(self, vault: Vault, masker: Masker, keep_output_bytes: int, environment: str) -> None:
        self._vault = vault
        self._masker = masker
        self._keep_output_bytes = keep_output_bytes
        self._environment = environment

    def of_return(
        self, returned: Return, by: EnforcedBy | None, made: MadeByState, run_id: str
    ) -> EnforcedRow:
        """Return the row that a return becomes.

        Args:
            returned: the return.
            by: the declaration of its state; None if that is not known.
            made: what the state makes.
            run_id: the run.
        """
        new_state, cut = kept_state(returned.new_state, self._keep_output_bytes)
        masker, shown = self._masker, new_state
        paths: tuple[str, ...] = ()
        id_, name, scope = returned.id, returned.name, returned.scope
        identity, tag = returned.scope_identity, returned.tag
        if masker.knows_secrets or returned.sensitive:
            paths, masked = self._masked(returned)
            shown, _ = kept_state(masked, self._keep_output_bytes)
            id_, scope = masker.name(id_), masker.name(scope)
            name = id_ if name == returned.id else masker.text(name)
            identity, tag = masker.name(identity), masker.tag(tag)
        entry = EnforcedEntry(
            returned.module,
            returned.function,
            id_,
            name,
            returned.sls,
            shown,
            paths,
            cut=cut,
            path=scope,
            by=by,
            arguments=returned.fingerprint,
            things=self._things(returned, made),
            is_absence=made.is_absence,
        )
        row = EnforcedRow(returned.target, identity, tag, run_id, entry, self._environment)
        return self.sealed(row, new_state) if paths else row

    def renamed(self, row: EnforcedRow, returned: Return, by: EnforcedBy | None) -> list[EnforcedRow]:
        """Return the rows that the row of a state under its former ID becomes: a former one, and its own.

        Args:
            row: the row.
            returned: the return of the state, which was skipped.
            by: the declaration of the state.
        """
        entry = msgspec.structs.replace(
            row.entry, id=returned.id, sls=returned.sls, path=self._masker.name(returned.scope), by=by
        )
        own = msgspec.structs.replace(row, scope=returned.scope_identity, tag=returned.tag, entry=entry)
        if entry.sealed is not None:
            own = self.sealed(own, self._plain(row))
        former = msgspec.structs.replace(row.entry, sealed=None, is_former=True)
        return [msgspec.structs.replace(row, entry=former).superseded(own.key), own]

    def sealed(self, row: EnforcedRow, plain: bytes) -> EnforcedRow:
        """Return a row with its new state, as MessagePack in the clear, encrypted."""
        sealed = self._vault.seal(plain, context=sealing_context(row))
        return msgspec.structs.replace(row, entry=msgspec.structs.replace(row.entry, sealed=sealed))

    def opened(self, row: EnforcedRow, declared: Collection[str]) -> EnforcedState:
        """Return the entry of a row, secrets in the clear.

        Args:
            row: the row.
            declared: paths into its new state that are secret by now.

        Raises:
            StoreError: it cannot be decrypted.
        """
        state = state_of_row(row, self._plain(row))
        if declared:
            paths = tuple(dict.fromkeys((*state.sensitive, *declared)))
            state = msgspec.structs.replace(state, sensitive=paths)
        self._masker.add(*values_at(state.new_state, state.sensitive))
        return state

    def _plain(self, row: EnforcedRow) -> bytes:
        sealed = row.entry.sealed
        return row.entry.shown if sealed is None else self._vault.open(sealed, context=sealing_context(row))

    def _things(self, returned: Return, made: MadeByState) -> tuple[str, ...] | None:
        """Return what a state is about, secrets masked; None if its name says it."""
        things = made.things
        if things == (thing_of_name(returned.module, returned.name),) and not made.may_move:
            return None
        return tuple(map(self._masker.text, things))

    def _masked(self, returned: Return) -> tuple[tuple[str, ...], Data]:
        """Return the paths of secrets, including those the state did not report, and the masked data."""
        masked = self._masker.data(returned.new_state)
        hidden = () if masked is returned.new_state else tuple(changed_paths(returned.new_state, masked))
        paths = tuple(dict.fromkeys((*returned.sensitive, *hidden)))
        return paths, hide_paths(masked, paths)
