"""`salt.modules`: the execution functions of the current call, by the names of Salt's files."""

from __future__ import annotations

from typing import Any

from ensue.language.salt_names.running import ExecutionModule


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return ExecutionModule(f"{__name__}.{name}")
