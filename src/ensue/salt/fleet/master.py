"""Salt's master as ensue uses it: its configuration, which minions match, publishing jobs.

Salt is loaded only here and in `bus`. Everything in this module blocks; callers use a thread.
"""

from __future__ import annotations

import importlib
import logging
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.deadlines import FLEET_BUS_S
from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import ConfigurationError
from ensue.core.model.data import is_mapping
from ensue.salt.fleet.bundle import FOLDER
from ensue.salt.fleet.shipped_files import ShippedFiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.store.registry.lock_waits import LockWaits

OLDEST: Final = (3008, 3)
"""Older releases of Salt leak descriptors and drop returns."""

_CLAIMS: Final = "ensue-shipped"
"""The folder in the master's cache that has the claims of runs on what minions fetch."""

_PASSED_ON: Final = ("renderer", "state_top", "nodegroups", "state_auto_order", "failhard")


class SaltMaster:
    """The master on this machine.

    Args:
        config: the path of its configuration; None: Salt's default.

    Raises:
        ConfigurationError: Salt is not installed or too old, or the configuration cannot be used.
    """

    def __init__(self, config: str | None) -> None:
        self._client = _client(config)
        self.opts: dict[str, Any] = self._client.opts
        self._jids: Any = importlib.import_module("salt.utils.jid")
        self._key_cache: Any = None
        self.roots = self._own_roots()

    def _own_roots(self) -> dict[str, list[Path]]:
        backends = [str(backend) for backend in self.opts.get("fileserver_backend") or ["roots"]]
        if other := [backend for backend in backends if backend not in {"roots", "file"}]:
            raise _unshippable(
                f"the master serves files from {', '.join(other)}, too",
                "ensue ships the folders of file_roots; check the other backends out into one of them",
            )
        given: dict[str, list[str]] = self.opts["file_roots"]
        roots = {str(env): [Path(folder) for folder in folders] for env, folders in given.items()}
        if not roots.get("base"):
            raise _unshippable("file_roots has no folder in base", "add one to the master's configuration")
        return roots

    def require_running(self) -> None:
        """Check that the master answers; its caches match targets without it.

        Raises:
            ConfigurationError: it does not.
        """
        events = importlib.import_module("salt.utils.event")
        with (
            warnings.catch_warnings(action="ignore"),
            events.get_master_event(self.opts, self.opts["sock_dir"], listen=False) as bus,
        ):
            if not bus.connect_pull(timeout=FLEET_BUS_S):
                why = f"no master runs with its configuration (there is none at {self.opts['sock_dir']})"
                raise unreachable(why)

    def shipped_files(
        self, run_id: str, kept: Path | None = None, waits: LockWaits | None = None
    ) -> ShippedFiles:
        """Return what minions fetch in a run: files in a folder below the first file root.

        Args:
            run_id: the run, as minions know it.
            kept: what is kept to resume the run; None: it cannot be resumed.
            waits: how to wait for other runs.

        Raises:
            ConfigurationError: the folder cannot be made, or nothing can be claimed in it.
            StoreError: another process does not unlock the claims, or waits were ended.
        """
        folder = self.roots["base"][0] / FOLDER
        try:
            folder.mkdir(exist_ok=True)
            claims = Path(self.opts["cachedir"]) / _CLAIMS
            return ShippedFiles(folder, claims, run_id, kept, waits=waits)
        except OSError as error:
            raise _unshippable(
                f"{error.filename or folder} cannot be made: {error.strerror}",
                "run ensue as the user of the master, and let that user write to the first file root of base",
            ) from error

    def options(self) -> dict[str, Any]:
        """Return the options that a minion takes from its master when it compiles states."""
        return {name: self.opts[name] for name in _PASSED_ON if self.opts.get(name)}

    def matching(self, tgt: str) -> list[str]:
        """Return the ids of the accepted minions that match a target, as far as the master's cache says."""
        return sorted(set(self._client.gather_minions(tgt, "compound")))

    def accepted_key(self, minion: str) -> bytes:
        """Return the public key of a minion that this master has accepted, as PEM; empty if there is none."""
        if self._key_cache is None:
            caches = importlib.import_module("salt.cache")
            self._key_cache = caches.Cache(self.opts, driver=self.opts["keys.cache_driver"])
        try:
            record = self._key_cache.fetch("keys", minion)
        except importlib.import_module("salt.exceptions").SaltException:
            return b""
        if not is_mapping(record) or record.get("state") != "accepted":
            return b""
        return str(record.get("pub", "")).encode()

    def new_jid(self) -> str:
        """Return an id for a job."""
        return str(self._jids.gen_jid(self.opts))

    def publish(self, tgt: str, minions: Sequence[str], relay: str, order: dict[str, Any], jid: str) -> None:
        """Publish a job; each minion decides itself once more whether the target matches it.

        Raises:
            ConfigurationError: the master does not answer.
        """
        client_error: type[Exception] = importlib.import_module("salt.exceptions").SaltException
        narrowed = f"( {tgt} ) and L@{','.join(minions)}"
        try:
            published = self._client.run_job(
                narrowed,
                "slsutil.renderer",
                tgt_type="compound",
                jid=jid,
                kwarg={"path": f"salt://{relay}", "default_renderer": "py", "order": order},
            )
        except client_error as error:
            raise unreachable(str(error)) from error
        if not published:
            raise unreachable("it published nothing")


def unreachable(why: str) -> ConfigurationError:
    """Return the error of a master that cannot be used."""
    return ConfigurationError(
        [
            Diagnostic(
                code="E0846",
                summary=f"Salt's master cannot be used: {why}",
                help="run ensue on the master, as its user, with a Python that has ensue[salt]",
            )
        ]
    )


def _unshippable(why: str, mend: str) -> ConfigurationError:
    return ConfigurationError(
        [Diagnostic(code="E0847", summary=f"ensue cannot be shipped to minions: {why}", help=mend)]
    )


def _client(config: str | None) -> Any:
    root = logging.getLogger()
    before = (root.level, list(root.handlers))
    try:
        with warnings.catch_warnings():
            # Deprecation warnings about Salt's own code do not help ensue's users.
            warnings.simplefilter("ignore")
            client = importlib.import_module("salt.client")
            configs = importlib.import_module("salt.config")
            version: Any = importlib.import_module("salt.version")
            if tuple(version.__version_info__[:2]) < OLDEST:
                oldest_version = ".".join(map(str, OLDEST))
                raise unreachable(
                    f"Salt {version.__version__} is too old; {oldest_version} is the oldest that works"
                )
            if config is not None and not Path(config).is_file():
                raise unreachable(f"there is no configuration {config}")
            path = config or str(Path(importlib.import_module("salt.syspaths").CONFIG_DIR) / "master")
            return client.LocalClient(mopts=configs.client_config(path))
    except ImportError as error:
        raise unreachable(f"this Python has no Salt: {error}") from error
    except (OSError, importlib.import_module("salt.exceptions").SaltException) as error:
        raise unreachable(str(error)) from error
    finally:
        root.setLevel(before[0])
        for handler in [handler_ for handler_ in root.handlers if handler_ not in before[1]]:
            root.removeHandler(handler)
