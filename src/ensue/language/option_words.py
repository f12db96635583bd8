"""The names of a state's options, and of everything else that a state may have whatever its function is.

What the options mean is in `options`.

Source: Salt's state options; the words of ensue beside them.
"""

from __future__ import annotations

from typing import Final

from ensue.language.requisite_names import MERGED_BY_EXTEND

TAGS: Final = "tags"
"""The option that names a state for `--only`, `--exclude` and `--start-at`."""

PASSED_ON: Final = frozenset({"umask", "reload_modules", "reload_grains", "reload_pillar", "fire_event"})
"""Options that the context of a state's function has."""

OPTION_WORDS: Final = frozenset({
    "unless", "onlyif", "creates", "check_cmd", "failhard", "retry", "timeout", "parallel", "runas",
    "onfail_stop", "registers", "delayed_render", TAGS, *PASSED_ON,
})  # fmt: skip
"""Words that are options; `runas`, `timeout`, `creates` and `umask` go to functions that take them, too."""

GLOBAL_WORDS: Final = frozenset({
    *OPTION_WORDS, *MERGED_BY_EXTEND, "order", "aggregate", "tgt", "tgt_optional", "arg_bind", "names",
})  # fmt: skip
"""Every word that a state may have whatever its function is."""
