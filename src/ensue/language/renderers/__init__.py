"""The stages of a render pipe, one module each, found by name and loaded on first use.

Stages of installed distributions are found by `installed`.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING

from ensue.language.renderer_names import NAMES

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stage


@functools.cache
def load_stage(name: str) -> Stage | None:
    """Return a stage by its name in a pipe; None if there is none."""
    if name not in NAMES:
        from ensue.language.renderers.installed import installed_stage

        return installed_stage(name)
    module = importlib.import_module(f"ensue.language.renderers.{name}_stage")
    stage: Stage = module.render
    return stage
