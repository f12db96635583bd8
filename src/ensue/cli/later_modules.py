"""Modules that are executed when something in them is first asked for, not when they are imported.

The libraries that every run stands on import these at their head: click `inspect`, asyncio `ssl`; a run
that uses neither would pay for both. So the `ensue` command has the import bring forth a module that is still
empty, and whoever asks for an attribute of it gets it executed first, in place: it is the same object before
and after, for everybody. Where ensue is used as a library, nothing is done to the process it lives in.

Two threads may ask at once: one executes, the other waits for it. It cannot be that both wait for each
other, because nothing that these modules import asks for an attribute of one of them while it is itself
imported.

Source: `importlib.util.LazyLoader`, whose documentation has the method; before Python 3.13 it shows a module
half executed when two threads ask for it.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock
from importlib.machinery import PathFinder, SourceFileLoader
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec

LATER: Final = frozenset(
    {
        "asyncio.sslproto",
        "gettext",
        "hashlib",
        "inspect",
        "ipaddress",
        "linecache",
        "locale",
        "msgspec.inspect",
        "platform",
        "ssl",
        "textwrap",
        "urllib.parse",
    }
)
"""Each of them, with what it imports, takes a hundredth of a small run or more. What another one imports must
leave the others alone; a test looks at that."""

_ABOUT_THE_MODULE: Final = frozenset(
    {
        "__cached__",
        "__file__",
        "__loader__",
        "__name__",
        "__package__",
        "__path__",
        "__spec__",
        "__warningregistry__",
    }
)
"""What the import system and those who look through all modules ask for: no reason to execute one."""

_executing = RLock()
_under_way: list[ModuleType] = []
"""What is being executed: one module, and those that it uses."""
_own: dict[tuple[str, str], Callable[..., Any]] = {}
"""Of modules that are executed, what was answered for them before."""


def install() -> None:
    """Have the modules of `LATER` that are not yet imported executed later, from now on."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder:
    """Finds the modules of `LATER` where they are, and puts a loader between that leaves them unexecuted."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == "typing_extensions" and _is_for_msgspec():
            raise ModuleNotFoundError(name=name)
        if isinstance(target, _Unexecuted):
            _execute(target)  # It is to be executed anew, and first at all.
        if name not in LATER or target is not None:
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is None or not isinstance(spec.loader, SourceFileLoader):
            return None
        if name == "ssl" and not _has_ssl():
            return None
        spec.loader = _LaterLoader(spec.loader.name, spec.loader.path)
        return spec


class _LaterLoader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        """Leave the module empty, and see to it that it is not found so."""
        module.__class__ = _Unexecuted

    def execute(self, module: ModuleType) -> None:
        super().exec_module(module)
        module.__class__ = ModuleType


class _Unexecuted(ModuleType):
    """A module that is executed as soon as somebody asks for, sets or deletes an attribute of it."""

    # Not super(): once it is executed, it is no longer of this class.

    def __getattribute__(self, name: str) -> Any:
        if name not in _ABOUT_THE_MODULE and name != "__class__":
            meanwhile = _MEANWHILE.get((ModuleType.__getattribute__(self, "__name__"), name))
            if meanwhile is not None:
                return meanwhile
            _execute(self)
        return ModuleType.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _ABOUT_THE_MODULE:
            _execute(self)
        ModuleType.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if name not in _ABOUT_THE_MODULE:
            _execute(self)
        ModuleType.__delattr__(self, name)


def _execute(module: ModuleType) -> None:
    """Execute a module, unless another thread has done so or this one is about it."""
    with _executing:
        loader = module.__loader__
        # A specification may be that of two modules: whoever wants one of their own makes it of that.
        if type(module) is not _Unexecuted or module in _under_way or not isinstance(loader, _LaterLoader):
            return
        _under_way.append(module)
        try:
            loader.execute(module)
        finally:
            _under_way.remove(module)
        if sys.modules.get(loader.name) is module:
            _own.update({key: vars(module)[key[1]] for key in _MEANWHILE if key[0] == loader.name})


def _has_ssl() -> bool:
    """Say whether `ssl` can be imported: asyncio asks by trying, and some Pythons are built without."""
    return "_ssl" in sys.builtin_module_names or PathFinder.find_spec("_ssl") is not None


def _is_for_msgspec() -> bool:
    """Say whether msgspec is being imported: it is as happy with what `typing` has had since Python 3.11."""
    msgspec = sys.modules.get("msgspec")
    return msgspec is not None and not hasattr(msgspec, "__version__")


def _cleandoc(doc: str) -> str:
    """Do as `inspect.cleandoc`; click calls it for every option, whose help is one line."""
    if "\n" not in doc and "\t" not in doc and not doc[:1].isspace():
        return doc
    import inspect

    _execute(inspect)
    cleaned: str = _own["inspect", "cleandoc"](doc)
    return cleaned


def _system() -> str:
    """Do as `platform.system`, which `uuid` calls when it is imported, and that click imports."""
    return os.uname().sysname


def _quote_from_bytes(*given: Any, **named: Any) -> str:
    """Do as `urllib.parse.quote_from_bytes`, which pathlib takes at its head for `as_uri`."""
    import urllib.parse

    _execute(urllib.parse)
    quoted: str = _own["urllib.parse", "quote_from_bytes"](*given, **named)
    return quoted


def _gettext(message: str) -> str:
    """Do as `gettext.gettext` where nobody has said where translations are; click asks for its own."""
    own = _own.get(("gettext", "gettext"))
    return own(message) if own else message


def _ngettext(singular: str, plural: str, number: int) -> str:
    """Do the same as `gettext.ngettext`."""
    own = _own.get(("gettext", "ngettext"))
    if own:
        translated: str = own(singular, plural, number)
        return translated
    return singular if number == 1 else plural


_MEANWHILE: Final[dict[tuple[str, str], Callable[..., Any]]] = {
    ("gettext", "gettext"): _gettext,
    ("gettext", "ngettext"): _ngettext,
    ("inspect", "cleandoc"): _cleandoc,
    ("platform", "system"): _system,
    ("urllib.parse", "quote_from_bytes"): _quote_from_bytes,
}
"""What is answered for a module before it is executed; the answer is the same that it would give."""
