"""`salt.loader`: the execution functions and matchers of the current call; the rest is internal to Salt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ensue.language.salt_names.absent import HOME, MachineryModule, salts_name
from ensue.language.salt_names.running import execution_function, running_functions

_MATCHERS: Final[Mapping[str, str]] = {
    f"{name}_match.match": f"match.{name}"
    for name in ("compound", "data", "glob", "grain", "grain_pcre", "ipcidr", "list", "pcre", "pillar")
}


class _Matchers(Mapping[str, Any]):
    """The matchers of a target, by Salt's names."""

    def __getitem__(self, name: str) -> Any:
        function = execution_function(_MATCHERS[name])

        def match(tgt: Any, opts: Any = None, minion_id: str | None = None, **options: Any) -> Any:
            del opts
            return function(tgt, **({"minion_id": minion_id} if minion_id else {}), **options)

        return match

    def __iter__(self) -> Iterator[str]:
        return iter(_MATCHERS)

    def __len__(self) -> int:
        return len(_MATCHERS)


def matchers(opts: Any) -> Mapping[str, Any]:
    """Return the matchers for the target of the current call."""
    del opts
    return _Matchers()


def minion_mods(opts: Any, *_args: Any, **_options: Any) -> Mapping[str, Any]:
    """Return the execution functions of the current call."""
    del opts
    return running_functions()


def __getattr__(name: str) -> Any:
    return getattr(MachineryModule(salts_name(f"{HOME}.loader")), name)
