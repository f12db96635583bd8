"""Execution module `slsutil`: functions with which formulas build their `map.jinja`.

It merges mappings, serializes and parses data, renders templates, and looks up files in the file roots.
Salt's serializers `yamlex` and `toml` are missing.

Source: Salt's execution module `slsutil`, 3008; results measured there.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.slsutil.banner import banner
from ensue.library.modules.slsutil.merging import boolstr, merge, merge_all, update
from ensue.library.modules.slsutil.paths import dir_exists, file_exists, findup, path_exists
from ensue.library.modules.slsutil.rendering import renderer
from ensue.library.modules.slsutil.serializing import deserialize, serialize

FUNCTIONS: Final = by_name(
    banner, boolstr, deserialize, dir_exists, file_exists, findup, merge, merge_all, path_exists,
    renderer, serialize, update,
)  # fmt: skip
