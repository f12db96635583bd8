"""Every option of `ensue.yaml`, with its valid values. docs/configuration.md lists the same.

`settings` reads the file and reports invalid values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.option_kinds import (
    Either,
    KnownKeys,
    ListOf,
    MappingOf,
    OneOf,
    Variants,
    WordOption,
    whole_number,
)
from ensue.core.model.option_words import LOG_LEVELS, NO_LIMIT, STATE_OUTPUTS
from ensue.core.model.sizes import size_bytes
from ensue.language.merging import STRATEGIES
from ensue.language.renderer_names import NAMES as RENDERERS
from ensue.language.top_files import TOP_STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.option_kinds import OptionKind


def _is_pipe(text: str) -> bool:
    # An unknown name may be a file of the project's `_renderers`, which is looked up when it is used.
    return all(part.strip().partition(" ")[0].isidentifier() for part in text.split("|"))


def _is_limit(value: Any) -> bool:
    return value == NO_LIMIT if isinstance(value, str) else value >= 1


def _is_log_size(value: Any) -> bool:
    return (size_bytes(value) or 0) >= _SMALLEST_LOG_BYTES


def _is_size(value: Any) -> bool:
    return (size_bytes(value) or 0) >= 1


def _is_command(words: list[Any]) -> bool:
    return bool(words) and all(isinstance(word, str) and "\0" not in word for word in words)


_SMALLEST_LOG_BYTES: Final = 1 << 16
_FLAG: Final = OneOf("true or false", (bool,))
_TEXT: Final = OneOf("text", (str,), lambda text: bool(text.strip()), "text that is not empty")
_TEXT_OR_NULL: Final = OneOf(
    "text, or null", (str, type(None)), lambda text: bool(text.strip()), "text that is not empty, or null"
)
_WARNING_CODE: Final = OneOf("a code such as E0407", (str,), lambda text: bool(re.fullmatch(r"E\d{4}", text)))
_ANYTHING: Final = OneOf("anything", (object, bool))
_DATA: Final = MappingOf("a mapping", _ANYTHING)
_FOLDER: Final = OneOf("a folder", (str,), lambda text: bool(text.strip()))
_LISTED: Final = ListOf("a list of folders", _FOLDER)
_OF_ENVIRONMENT: Final = Either("a folder, or a list of folders", {str: _FOLDER, list: _LISTED})
_FOLDERS: Final = Either(
    "a folder, a list of folders, or a mapping of environments to them",
    {str: _FOLDER, list: _LISTED, dict: MappingOf("a mapping of environments to folders", _OF_ENVIRONMENT)},
)
_JINJA: Final = KnownKeys(
    "a mapping of options of Jinja's environment",
    {
        **dict.fromkeys(
            (
                "block_start_string", "block_end_string", "variable_start_string", "variable_end_string",
                "comment_start_string", "comment_end_string", "line_statement_prefix", "line_comment_prefix",
            ),
            _TEXT,
        ),
        **dict.fromkeys(
            (
                "trim_blocks", "lstrip_blocks", "keep_trailing_newline", "autoescape", "optimized",
                "auto_reload",
            ),
            _FLAG,
        ),
        "newline_sequence": OneOf("\\n, \\r or \\r\\n", (str,), lambda text: text in {"\n", "\r", "\r\n"}),
        "cache_size": OneOf("a number from -1", (int,), lambda number: number >= -1),
    },
)  # fmt: skip

_SECRET_STORES: Final = MappingOf(
    "a mapping of names to stores",
    Variants(
        "a mapping with `kind`: env, file or command",
        "kind",
        {
            "env": {"prefix": OneOf("text", (str,))},
            "file": {"path": _FOLDER},
            "command": {
                "command": OneOf("a list of a program and its arguments", (list,), _is_command),
                "timeout_s": OneOf("a number above 0", (int, float), lambda number: number > 0),
            },
        },
        {"file": ("path",), "command": ("command",)},
    ),
)

_FLEET: Final = Either(
    "salt, or a mapping with `engine`",
    {
        str: WordOption(("salt",)),
        dict: KnownKeys(
            "a mapping with `engine`, `config` and `deadline_s`",
            {
                "engine": WordOption(("salt",)),
                "config": OneOf("the path of Salt's master config", (str,)),
                "deadline_s": OneOf("a number of seconds above 0", (int, float), lambda number: number > 0),
            },
        ),
    },
)

OPTIONS: Final[Mapping[str, OptionKind]] = {
    "id": _TEXT,
    "cachedir": _TEXT,
    "file_roots": _FOLDERS,
    "pillar_roots": _FOLDERS,
    "definitions": _OF_ENVIRONMENT,
    "failhard": _FLAG,
    "state_auto_order": _FLAG,
    "state_aggregate": OneOf("true, false, or a list of state modules", (bool, list)),
    "on_unknown_function": WordOption(("refuse", "fail")),
    "on_unknown_argument": WordOption(("refuse", "fail", "ignore")),
    "cmd_safe": _FLAG,
    "silence_warnings": ListOf("a list of codes of warnings", _WARNING_CODE),
    "resource_pillar_key": _TEXT,
    "delayed_repeat_limit": OneOf(
        "a number from 1, or null (or None) for no limit", (int, str, type(None)), _is_limit
    ),
    "grains": _DATA,
    "grains_file": OneOf("an absolute path on the target", (str,), lambda text: text.startswith("/")),
    "grains_cache_expiration": whole_number(0),
    "aliases.file": OneOf("an absolute path on the target", (str,), lambda text: text.startswith("/")),
    "renderer": OneOf(
        f"a pipe of {', '.join(RENDERERS)} and the project's own, such as jinja|yaml", (str,), _is_pipe
    ),
    "gpg_keydir": _FOLDER,
    "gpg_decrypt_must_succeed": _FLAG,
    "jinja_env": _JINJA,
    "jinja_sls_env": _JINJA,
    "allow_undefined": _FLAG,
    "pillar_source_merging_strategy": WordOption(STRATEGIES),
    "pillar_merge_lists": _FLAG,
    "pillar_includes_override_sls": _FLAG,
    "pillar_raise_on_missing": _FLAG,
    "pillarenv": _TEXT_OR_NULL,
    "pillarenv_from_saltenv": _FLAG,
    "saltenv": _TEXT_OR_NULL,
    "top_file_merging_strategy": WordOption(TOP_STRATEGIES),
    "env_order": ListOf("a list of environments", OneOf("an environment", (str,))),
    "default_top": _TEXT,
    "state_top": _TEXT,
    "state_top_saltenv": _TEXT_OR_NULL,
    "pillar_opts": _FLAG,
    "module_dirs": _LISTED,
    "extension_modules": _FOLDER,
    "ext_pillar": ListOf("a list of mappings of a name to its arguments", _DATA),
    "ext_pillar_first": _FLAG,
    "master_tops": MappingOf("a mapping of names to their options", _ANYTHING),
    "master_tops_first": _FLAG,
    "nodegroups": MappingOf("a mapping of names to targets", _ANYTHING),
    "fleet": _FLEET,
    "mine_functions": Either(
        "a mapping of names to definitions, or a list of functions",
        {dict: _DATA, list: ListOf("a list of functions", OneOf("a function", (str, dict)))},
    ),
    "minion_root": _TEXT,
    "store_url": OneOf(
        "the URL of a database, such as sqlite:////srv/store.db", (str,), lambda text: "://" in text
    ),
    "audit_max_size": OneOf("a size from 64KiB, such as 10MiB", (int, str), _is_log_size),
    "audit_keep_files": whole_number(1),
    "key_source": WordOption(("file", "keyring")),
    "keep_runs": whole_number(1),
    "keep_runs_bytes": OneOf("a size, such as 1GiB", (int, str), _is_size),
    "keep_output_bytes": OneOf("a size, such as 1MiB", (int, str), _is_size),
    "http_request_timeout": OneOf("a number of seconds above 0", (int, float), lambda number: number > 0),
    "concurrency": whole_number(1),
    "derived_highstate": _FLAG,
    "secret_stores": _SECRET_STORES,
    "state_output": WordOption(STATE_OUTPUTS),
    "state_verbose": _FLAG,
    "log_level": WordOption(LOG_LEVELS),
    "test": _FLAG,
}
"""The kind of each option."""

SECRET: Final = frozenset({"store_url"})
"""Options whose value is never shown, because it may contain a password."""
