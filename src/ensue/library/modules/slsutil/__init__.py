"""Execution module `slsutil`: functions with which formulas build their `map.jinja`.

It merges mappings, serializes and parses data, renders templates, and looks up files in the file roots.
Salt's serializers `yamlex` and `toml` are missing.

Source: Salt's execution module `slsutil`, 3008; results measured there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.slsutil.banner import banner
from ensue.library.modules.slsutil.merging import boolstr, merge, merge_all, update
from ensue.library.modules.slsutil.paths import dir_exists, file_exists, findup, path_exists
from ensue.library.modules.slsutil.rendering import renderer
from ensue.library.modules.slsutil.serializing import deserialize, serialize

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "banner": banner,
    "boolstr": boolstr,
    "deserialize": deserialize,
    "dir_exists": dir_exists,
    "file_exists": file_exists,
    "findup": findup,
    "merge": merge,
    "merge_all": merge_all,
    "path_exists": path_exists,
    "renderer": renderer,
    "serialize": serialize,
    "update": update,
}
