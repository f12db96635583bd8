"""Options that are `sdb://PROFILE/KEY`: values from the store replace them, before anything else reads them.

The profile is an option, too. A text whose profile does not exist, or only in pillar, stays as it is:
`config.get` looks it up. Encrypted files are left to `sdb.get`, because the keys are not known yet.

Source: Salt's `salt.config.apply_sdb`, 3008: it does so with all options of a minion, and with nothing else.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError, ConfigurationError, StateFailedError
from ensue.core.model.data import is_list, is_mapping, texts
from ensue.core.model.paths import traverse
from ensue.core.model.sensitive_paths import values_at

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SCHEME: Final = "sdb://"


def with_sdb_values(values: dict[str, Any], root: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return options with the values from stores, and the texts of these values.

    Args:
        values: the options, by name.
        root: the folder of the project.

    Raises:
        ConfigurationError: a store cannot be read.
    """
    if not _holds_uri(values):
        return values, ()
    lookup = _Lookup(values, root)
    replaced = {name: lookup.of(value, (name,)) for name, value in values.items()}
    if lookup.faults:
        raise ConfigurationError(lookup.faults)
    return replaced, tuple(lookup.secrets)


def _holds_uri(value: Any) -> bool:
    return any(text.startswith(_SCHEME) for text in texts(value))


class _Lookup:
    def __init__(self, values: Mapping[str, Any], root: Path) -> None:
        self.faults: list[Diagnostic] = []
        self.secrets: list[str] = []
        self._values = values
        self._root = root

    def of(self, value: Any, keys: tuple[str, ...]) -> Any:
        """Return an option with the values from stores."""
        if is_mapping(value):
            return {key: self.of(item, (*keys, str(key))) for key, item in value.items()}
        if is_list(value):
            return [self.of(item, keys) for item in value]
        if not isinstance(value, str) or not value.startswith(_SCHEME):
            return value
        name, _, key = value.removeprefix(_SCHEME).partition("/")
        profile = self._values.get(name)
        if not key or not is_mapping(profile) or "driver" not in profile:
            return value
        try:
            profile_options = self._found(profile, key)
        except (StateFailedError, CompileError) as error:
            self._fault(str(error), keys)
            return value
        self.secrets += values_at(profile_options, ("",))
        return profile_options

    def _found(self, profile: Mapping[str, Any], key: str) -> Any:
        from ensue.reach.processes import sdb_drivers as drivers

        match profile["driver"]:
            case "env":
                return os.environ.get(key)
            case "keyring":
                return drivers.password(key, profile)
            case "yaml" if not profile.get("gpg"):
                return self._of_files(profile, key)
            case "yaml":
                raise StateFailedError("encrypted files are not read for options")
            case other:
                known = ", ".join(drivers.DRIVERS)
                raise StateFailedError(f"there is no sdb driver {other!r} (there are: {known})")

    def _of_files(self, profile: Mapping[str, Any], key: str) -> Any:
        from ensue.language.yaml import YamlDocument, load_document
        from ensue.reach.processes import sdb_drivers as drivers

        merged: Any = {}
        for path in drivers.files_of(profile, self._root):
            data = load_document(YamlDocument(str(path), drivers.text_of(path)))
            merged = drivers.with_file(merged, data, path)
        return traverse(merged, key, None)

    def _fault(self, why: str, keys: tuple[str, ...]) -> None:
        self.faults.append(
            Diagnostic(
                code="E0226",
                summary=f"the option {':'.join(keys)!r} cannot be looked up",
                detail=why,
                span=Span("ensue.yaml"),
                help="correct the profile, or request the value in a template: salt['sdb.get'](…)",
            )
        )
