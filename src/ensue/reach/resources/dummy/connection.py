"""`DummyConnection`: the files, packages and services of a dummy, in a folder below the cachedir.

It has no `run`. An unused one takes little memory, because there may be a hundred thousand of them.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import RemoteFileError, UnreachableError
from ensue.core.model.folder_name import folder_name
from ensue.reach.resources.faults import FileFaults

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from ensue.core.model.srn import Srn
    from ensue.reach.resources.minion.files import MinionFiles

PACKAGES: Final = {"coreutils": "1.0", "apache": "2.4", "tinc": "1.4", "redbull": "999.99"}
"""The packages of a new dummy, with their versions."""

SERVICES: Final = {
    "apache": {"running": True, "enabled": True},
    "ntp": {"running": True, "enabled": True},
    "samba": {"running": False, "enabled": False},
}
"""The services of a new dummy."""

_FOLDERS: Final = ("etc", "home", "opt", "root", "srv", "tmp", "usr", "var")
"""The folders of a new dummy."""


class DummyConnection:
    """The file methods of a connection, and a dummy's packages and services.

    Args:
        srn: the dummy.
        cache_dir: the project's cachedir.
        reachable: whether it answers.
    """

    __slots__ = ("_cache_dir", "_changing", "_files", "_reachable", "srn")

    def __init__(self, srn: Srn, cache_dir: Path, *, reachable: bool = True) -> None:
        self.srn = srn
        self._cache_dir = cache_dir
        self._reachable = reachable
        self._files: MinionFiles | None = None
        self._changing: asyncio.Lock | None = None

    def must_be_reachable(self) -> None:
        """Raise an error if the dummy does not answer.

        Raises:
            UnreachableError: it does not answer.
        """
        if not self._reachable:
            message = f"{self.srn} cannot be reached (its configuration says `reachable: false`)"
            raise UnreachableError(message, target=str(self.srn))

    def __getattr__(self, name: str) -> Any:
        # The file methods of the contract, and no others: a dummy has no `run`.
        if name not in _FILE_METHODS:
            raise AttributeError(name, name=name, obj=self)
        return self._when_reachable(name)

    def chunks(self, path: str) -> AsyncGenerator[bytes]:
        """Yield the content of a file in parts; see the contract."""
        self.must_be_reachable()
        return self._file_tree().chunks(path)

    def _when_reachable(self, name: str) -> Callable[..., Any]:
        async def method(*args: Any, **kwargs: Any) -> Any:
            self.must_be_reachable()
            return await getattr(self._file_tree(), name)(*args, **kwargs)

        return method

    async def packages(self) -> dict[str, str]:
        """Return the versions of its packages by name."""
        state = await self._state()
        return dict(state["packages"])

    async def services(self) -> dict[str, dict[str, bool]]:
        """Return its services by name: whether each is `running` and `enabled`."""
        state = await self._state()
        return {name: dict(service) for name, service in state["services"].items()}

    async def change_packages(self, changed: dict[str, str | None]) -> None:
        """Set the versions of packages; None removes one."""

        def change(state: dict[str, Any]) -> None:
            merged = state["packages"] | changed
            state["packages"] = {name: version for name, version in merged.items() if version is not None}

        await self._changed(change)

    async def change_service(self, name: str, **marks: bool) -> None:
        """Set whether a service is `running` or `enabled`."""

        def change(state: dict[str, Any]) -> None:
            known = state["services"].get(name, {"running": False, "enabled": False})
            state["services"][name] = known | marks

        await self._changed(change)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""

    @property
    def _folder(self) -> Path:
        return self._cache_dir / "resources" / "dummy" / folder_name(self.srn.id)

    def _file_tree(self) -> MinionFiles:
        if self._files is None:
            from ensue.reach.resources.minion.confine import Confinement
            from ensue.reach.resources.minion.files import MinionFiles

            root = self._folder / "files"
            with FileFaults(self.srn, "use", "/"):
                for folder in _FOLDERS:
                    (root / folder).mkdir(parents=True, exist_ok=True)
            self._files = MinionFiles(self.srn, Confinement(str(root)))
        return self._files

    async def _state(self) -> dict[str, Any]:
        self.must_be_reachable()
        path = self._folder / "state.json"
        with FileFaults(self.srn, "read", str(path)):
            try:
                text = path.read_bytes()
            except FileNotFoundError:
                return {
                    "packages": dict(PACKAGES),
                    "services": {name: dict(value) for name, value in SERVICES.items()},
                }
        try:
            state: dict[str, Any] = json.loads(text)
            return {"packages": dict(state["packages"]), "services": dict(state["services"])}
        except (ValueError, KeyError, TypeError):
            message = f"{path} does not hold what {self.srn} wrote there (remove it to start over)"
            raise RemoteFileError(message, path=str(path), target=str(self.srn)) from None

    async def _changed(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Change the stored state; one change at a time, so that none is lost."""
        from ensue.reach.resources.minion.atomic_write import WriteRequest, write_atomically
        from ensue.reach.resources.threads import in_thread

        if self._changing is None:
            self._changing = asyncio.Lock()
        async with self._changing:
            state = await self._state()
            change(state)
            path = self._folder / "state.json"
            content = json.dumps(state, indent=1, sort_keys=True).encode() + b"\n"
            request = WriteRequest(path=str(path), mode=0o600, uid=-1, gid=-1)

            def write() -> None:
                path.parent.mkdir(parents=True, exist_ok=True)
                # The state is below the cachedir, where no target's files are.
                write_atomically(request, content, lambda *_: nullcontext())

            with FileFaults(self.srn, "write", str(path)):
                await in_thread(write)


_FILE_METHODS: Final = frozenset({
    "check_change", "checksum", "list_directory", "make_directory", "read", "remove", "rename", "set_mode",
    "set_owner", "set_times", "stat", "symlink", "write",
})  # fmt: skip
"""The methods of the contract that work on files."""
