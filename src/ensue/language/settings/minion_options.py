"""Which options of `ensue.yaml` hold for a run over minions of Salt.

An option that concerns a run reaches the minions, or it is refused: none is ignored without a word. What Salt
has itself (file roots, pillar, grains, nodegroups, the mine) is the master's, and is not written twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import ConfigurationError
from ensue.language.settings.settings import FILE_NAME

if TYPE_CHECKING:
    from ensue.language.settings.settings import Settings

REACH_MINIONS: Final = frozenset({
    "failhard", "state_auto_order", "on_unknown_function", "on_unknown_argument", "resource_pillar_key",
    "delayed_repeat_limit", "aliases.file", "renderer", "jinja_env", "jinja_sls_env", "allow_undefined",
    "pillar_raise_on_missing", "saltenv", "top_file_merging_strategy", "env_order", "default_top",
    "state_top", "state_top_saltenv", "keep_output_bytes", "http_request_timeout", "concurrency",
    "derived_highstate", "cmd_safe",
})  # fmt: skip
"""Options that minions compile and run with; they take precedence over the master's."""

OF_SALT: Final = frozenset({
    "file_roots", "pillar_roots", "pillar_source_merging_strategy", "pillar_merge_lists",
    "pillar_includes_override_sls", "pillarenv", "pillarenv_from_saltenv", "pillar_opts", "ext_pillar",
    "ext_pillar_first", "gpg_keydir", "gpg_decrypt_must_succeed", "grains", "grains_file",
    "grains_cache_expiration", "nodegroups", "mine_functions", "master_tops", "master_tops_first",
})  # fmt: skip
"""Options whose part is the configuration of Salt's master and minions."""

NOT_ON_MINIONS: Final = frozenset({"module_dirs", "extension_modules", "minion_root", "secret_stores"})
"""Options of a run on this machine that minions do not have."""

OF_THE_COORDINATOR: Final = frozenset({
    "id", "cachedir", "definitions", "fleet", "silence_warnings", "store_url", "audit_max_size",
    "audit_keep_files", "key_source", "keep_runs", "keep_runs_bytes", "state_output", "state_verbose",
    "log_level", "test", "state_aggregate",
})  # fmt: skip
"""Options of this process, its files and its output, and of other commands."""


def options_for_minions(settings: Settings) -> dict[str, Any]:
    """Return the options of `ensue.yaml` that minions run with.

    Raises:
        ConfigurationError: it has options that concern a run and do not reach minions.
    """
    if unreachable := sorted(settings.given & (OF_SALT | NOT_ON_MINIONS)):
        raise ConfigurationError([_refused(name) for name in unreachable])
    return {name: settings.values[name] for name in sorted(settings.given & REACH_MINIONS)}


def _refused(name: str) -> Diagnostic:
    return Diagnostic(
        code="E0876",
        summary=f"the option `{name}` of {FILE_NAME} does not reach minions",
        detail="Salt's own configuration decides this for its minions"
        if name in OF_SALT
        else "minions do not have it",
        help="set it in the configuration of Salt's master, and remove it here"
        if name in OF_SALT
        else "remove it, or use a project of its own for runs over minions",
    )
