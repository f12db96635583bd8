"""Reads the inputs of a resource that terraform provisions, as written in a resource definition.

Source: Humanitec, "Terraform driver", inputs; `credentials_config` as published definitions use it.
"""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.deadlines import TERRAFORM_S
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.unknown import Unknown, unknowns_in
from ensue.reach.terraform.git import RemoteRepository
from ensue.reach.terraform.source import ConfigurationSource, is_inside, local_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ensue.core.model.data import Data

SCRIPT_NAME: Final = "script.tf"
"""The file name for `script`."""

_VALUES: Final = (
    "source", "script", "files", "variables", "credentials_config", "append_logs_to_error", "binary",
    "timeout_s",
)  # fmt: skip
_RUNNERS: Final = ("runner", "runner_mode")
"""Inputs that say where another orchestrator runs terraform; here it runs on this machine."""
_SECRETS: Final = ("source", "files", "variables", "credentials", *_RUNNERS)
_SOURCE: Final = ("url", "rev", "path", "username", "known_hosts")
_SOURCE_SECRETS: Final = ("password", "ssh_key")
_CREDENTIALS: Final = ("environment", "variables", "file")


class TerraformInputs(msgspec.Struct, frozen=True, kw_only=True):
    """The inputs of one configuration.

    Args:
        source: the origin of the configuration.
        files: additional files, text by relative path, including the script.
        variables: the values of its variables.
        environment: environment variables for terraform.
        binary: the name or path of the binary; empty for the driver's default.
        appends_log: whether to append terraform's output to an error.
        timeout_s: how long a whole operation may take.
    """

    source: ConfigurationSource
    files: dict[str, str]
    variables: dict[str, Any]
    environment: dict[str, str]
    binary: str = ""
    appends_log: bool = False
    timeout_s: float = TERRAFORM_S


def read_inputs(values: Data, secrets: Data, account: Data, root: Path) -> tuple[TerraformInputs, list[str]]:
    """Read the inputs of a resource.

    Args:
        values: the plain inputs; they may contain `Unknown`.
        secrets: the secret inputs.
        account: the account: its credentials as a mapping, or its name.
        root: the project's folder.

    Returns:
        The inputs, valid only if there are no problems; and the problems, one sentence each.
    """
    reader = _InputsReader(values, secrets, account)
    inputs = TerraformInputs(
        source=reader.source(root),
        files=reader.files(),
        variables=reader.variables(),
        environment=reader.credentials("environment"),
        binary=reader.text(reader.values, "binary"),
        appends_log=reader.values.get("append_logs_to_error") is True,
        timeout_s=reader.seconds("timeout_s", TERRAFORM_S),
    )
    is_wrong = "source" in reader.values and not is_mapping(reader.values["source"])
    has_source = is_wrong or inputs.source != ConfigurationSource()
    if not inputs.files and not has_source and not unknowns_in([values, secrets]):
        reader.problems.append("there is no configuration: write `source`, `script` or `files`")
    return inputs, reader.problems


class _InputsReader:
    """Reads the inputs and collects problems."""

    def __init__(self, values: Data, secrets: Data, account: Data) -> None:
        self.problems: list[str] = []
        self.values = self._mapping({"values": values}, "values", _VALUES + _RUNNERS)
        self.secrets = self._mapping({"secrets": secrets}, "secrets", _SECRETS)
        self._account = account

    def source(self, root: Path) -> ConfigurationSource:
        """Return the origin of the configuration."""
        plain = self._mapping(self.values, "source", _SOURCE, "source.")
        secret = self._mapping(self.secrets, "source", _SOURCE_SECRETS, "source.")
        url, path = self.text(plain, "url"), self.text(plain, "path")
        revision = self.text(plain, "rev")
        if not is_inside(path):
            self.problems.append(f"source.path: {path} leads out of the source")
        if not url:
            return (
                ConfigurationSource(folder=root / path) if path and is_inside(path) else ConfigurationSource()
            )
        folder = local_folder(url, root)
        if folder is not None and not (revision and url.startswith("file://")):
            if revision:
                self.problems.append("source.rev: a local folder has no revisions; write its URL as file://…")
            return ConfigurationSource(folder=folder, path=path)
        repository = RemoteRepository(
            url=url,
            revision=revision,
            username=self.text(plain, "username"),
            password=self.text(secret, "password"),
            ssh_key=self.text(secret, "ssh_key"),
            known_hosts=self.text(plain, "known_hosts"),
        )
        self.problems += repository.problems()
        return ConfigurationSource(repository=repository, path=path)

    def files(self) -> dict[str, str]:
        """Return all files, including the script and the file with credentials."""
        files: dict[str, str] = {}
        for inputs in (self.values, self.secrets):
            for name, content in self._mapping(inputs, "files").items():
                files[name] = content if isinstance(content, str) else json.dumps(content, default=str)
        if script := self.text(self.values, "script"):
            if SCRIPT_NAME in files:
                self.problems.append(f"files: {SCRIPT_NAME} is reserved for `script`; rename the file")
            files[SCRIPT_NAME] = script
        config = self._mapping(self.values, "credentials_config", _CREDENTIALS)
        if name := self.text(config, "file"):
            files[name] = json.dumps(self._credentials(), default=str)
        if odd := [name for name in files if not _is_file_name(name)]:
            self.problems.append(f"files: {', '.join(map(repr, odd))} would be outside the configuration")
        return files

    def variables(self) -> dict[str, Any]:
        """Return the values of all variables."""
        plain = self._mapping(self.values, "variables")
        return {**plain, **self.credentials("variables"), **self._mapping(self.secrets, "variables")}

    def credentials(self, kind: str) -> dict[str, str]:
        """Return the credentials that `credentials_config` maps to the environment or to variables."""
        keys_by_name = self._mapping(self._mapping(self.values, "credentials_config"), kind)
        there = self._credentials() if keys_by_name else {}
        credentials_: dict[str, str] = {}
        for name, key in keys_by_name.items():
            if key in there:
                credentials_[name] = _as_text(there[key])
            elif there:
                known = ", ".join(sorted(there))
                self.problems.append(f"credentials_config.{kind}: no credential {key!r} (there are: {known})")
        return credentials_

    def text(self, inputs: Mapping[str, Any], name: str) -> str:
        """Return a text input; empty if it is missing or not known yet."""
        value = inputs.get(name)
        if value is None or isinstance(value, (str, Unknown)):
            return value if isinstance(value, str) else ""
        self.problems.append(f"{name} is not a text")
        return ""

    def seconds(self, name: str, usual: float) -> float:
        """Return a number of seconds."""
        value = self.values.get(name)
        if value is None or isinstance(value, Unknown):
            return usual
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
            self.problems.append(f"{name} is not a number of seconds above 0")
            return usual
        return float(value)

    def _credentials(self) -> dict[str, Any]:
        """Return the account's credentials; report once if there are none."""
        secret: Any = self.secrets.get("credentials")
        if isinstance(secret, str):
            secret = _from_json(secret)
        for account in (secret, self._account):
            if is_mapping(account):
                return account
            if isinstance(account, Unknown):
                return {}
        named = f" of the account {self._account}" if isinstance(self._account, str) else ""
        problem = (
            f"credentials_config: the credentials{named} are not known; write them as secrets.credentials"
        )
        if problem not in self.problems:
            self.problems.append(problem)
        return {}

    def _mapping(
        self, inputs: Mapping[str, Any], name: str, known: tuple[str, ...] = (), where: str = ""
    ) -> dict[str, Any]:
        value: Any = inputs.get(name)
        if value is None or isinstance(value, Unknown):
            return {}
        if not is_mapping(value):
            meant = f": write {{path: {value}}}" if name == "source" and isinstance(value, str) else ""
            self.problems.append(f"{name} is not a mapping{meant}")
            return {}
        for key in value if known else ():
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                self._complain(
                    f"{where}{key} is not an input", f"did you mean {near[0]}?" if near else "", known
                )
        return value

    def _complain(self, what: str, near: str, known: tuple[str, ...]) -> None:
        problem = f"{what} ({near or 'there are: ' + ', '.join(known)})"
        if problem not in self.problems:
            self.problems.append(problem)


def _is_file_name(name: str) -> bool:
    return is_inside(name) and not name.endswith("/") and name.strip("./ ") != ""


def _as_text(value: Any) -> str:
    return json.dumps(value) if is_mapping(value) or is_list(value) else str(value)


def _from_json(text: str) -> Any:
    load: Callable[[str], Any] = json.loads
    try:
        return load(text)
    except (ValueError, RecursionError):
        return None
