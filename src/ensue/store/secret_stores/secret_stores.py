"""Reads the secrets that definitions refer to from the secret stores of a project.

Each secret is read once per process, several at a time. Its value goes to the masker before any other code
sees it, and is always plain text, never a template. All errors are collected.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic, sort_key
from ensue.core.errors import SecretStoreError
from ensue.store.secret_stores.kinds import CommandStore, EnvironmentStore, FolderStore, SecretNotReadError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.masking import Masker
    from ensue.deploy.provisioning.secret_refs import SecretReference
    from ensue.deploy.provisioning.wanted_secrets import WantedSecret
    from ensue.language.settings.settings import Settings
    from ensue.store.secret_stores.kinds import SecretStore

_AT_ONCE: Final = 8
"""How many secrets are read concurrently."""


class SecretStores:
    """Reads secrets from the stores that `secret_stores` of `ensue.yaml` configures.

    Args:
        settings: the project's options.
        masker: receives every value that is read.
    """

    def __init__(self, settings: Settings, masker: Masker) -> None:
        configured: Mapping[str, Mapping[str, Any]] = settings.option("secret_stores") or {}
        self._stores = {name: _store(config, settings) for name, config in configured.items()}
        self._masker = masker
        self._values: dict[SecretReference, str] = {}
        self._locks: defaultdict[SecretReference, asyncio.Lock] = defaultdict(asyncio.Lock)

    def check(self, secrets: Iterable[WantedSecret]) -> list[Diagnostic]:
        """Return the errors of secrets that can be found without reading any; sorted.

        Args:
            secrets: the secrets of a deployment.
        """
        diagnostics: dict[Diagnostic, None] = {}
        for secret in secrets:
            store = self._stores.get(secret.reference.store)
            if store is None:
                diagnostics[self._not_configured(secret.reference, secret)] = None
            elif secret.reference.is_known and (why := store.refusal(secret.reference)):
                diagnostics[_not_read(secret.reference, why, secret)] = None
        return sorted(diagnostics, key=sort_key)

    async def read_all(
        self, references: Iterable[SecretReference], secrets: Iterable[WantedSecret] = ()
    ) -> dict[SecretReference, str]:
        """Return the value of each secret.

        Args:
            references: the secrets; all references must be known.
            secrets: which definitions refer to them, for messages.

        Raises:
            SecretStoreError: some secrets cannot be read; it lists all of them.
        """
        each = list(dict.fromkeys(references))
        places = asyncio.Semaphore(_AT_ONCE)
        by_reference = {secret.reference: secret for secret in secrets}
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._read(reference, places, by_reference.get(reference)))
                for reference in each
            ]
        outcomes = [task.result() for task in tasks]
        if failed := [outcome for outcome in outcomes if isinstance(outcome, Diagnostic)]:
            raise SecretStoreError(failed)
        return {
            reference: value
            for reference, value in zip(each, outcomes, strict=True)
            if isinstance(value, str)
        }

    async def _read(
        self, reference: SecretReference, places: asyncio.Semaphore, secret: WantedSecret | None
    ) -> str | Diagnostic:
        async with self._locks[reference]:
            if reference in self._values:
                return self._values[reference]
            store = self._stores.get(reference.store)
            if store is None:
                return self._not_configured(reference, secret)
            if why := store.refusal(reference):
                return _not_read(reference, why, secret)
            try:
                async with places:
                    value = await store.read(reference)
            except SecretNotReadError as error:
                return _not_read(reference, self._masker.within(str(error)), secret)
            self._masker.add(value)
            self._values[reference] = value
            return value

    def _not_configured(self, reference: SecretReference, secret: WantedSecret | None = None) -> Diagnostic:
        asks = "" if secret is None else f", required by definition {secret.definition}"
        known = f"; there are {', '.join(self._stores)}" if self._stores else ""
        return Diagnostic(
            code="E0835",
            summary=f"there is no secret store {reference.store!r}{asks}",
            span=None if secret is None else secret.span,
            help=f"configure it under secret_stores in ensue.yaml{known}",
        )


def _not_read(reference: SecretReference, why: str, secret: WantedSecret | None = None) -> Diagnostic:
    asks = f" of definition {secret.definition}" if secret is not None else ""
    return Diagnostic(
        code="E0836",
        summary=f"the secret {reference}{asks} cannot be read",
        detail=why,
        span=None if secret is None else secret.span,
    )


def _store(config: Mapping[str, Any], settings: Settings) -> SecretStore:
    match config["kind"]:
        case "env":
            return EnvironmentStore(config.get("prefix", ""))
        case "file":
            return FolderStore(settings.root / config["path"])
        case _:
            return CommandStore(config["command"], settings.root, config.get("timeout_s", 30))
