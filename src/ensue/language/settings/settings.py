"""`ensue.yaml`: the options of a project, with Salt's names where Salt has the same option.

The file is optional. Unknown options are warnings (a minion configuration may be pasted), invalid values are
errors; all are reported together. `option_table` defines the valid values.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from ensue.core.diagnostics import Diagnostic, Severity, Span
from ensue.core.errors import CompileError, ConfigurationError
from ensue.core.files.regular_files import is_folder, is_regular, obstacle
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.kept_output import KEEP_OUTPUT_BYTES
from ensue.core.model.option_words import NO_LIMIT
from ensue.core.model.sizes import size_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from ensue.language.yaml import YamlDocument

FILE_NAME: Final = "ensue.yaml"
_IN_PILLAR: Final = "hosts are resources: write `resources` in pillar, or call `ensue resources register`"
_OF_HOST: Final = "write it where a host is declared, in pillar below `resources`: {}"
_VAULT: Final = "gpg decrypts pillar (`gpg_keydir`), and `ensue keys encrypt` encrypts a value for it"
_ELSEWHERE: Final = {
    "ask_vault_pass": _VAULT,
    "become": _OF_HOST.format("`sudo: true`"),
    "become_method": _OF_HOST.format("`sudo: true`"),
    "become_user": _OF_HOST.format("`sudo_user`"),
    "check_mode": "`ensue plan` shows what an apply would change",
    **dict.fromkeys(
        ("fact_caching", "fact_caching_connection", "fact_caching_timeout"),
        "write `grains_cache_expiration: SECONDS`, for how long the grains of a host are used again (300)",
    ),
    "forks": "`ensue apply --concurrency N`; `--batch N` limits how many hosts are at work",
    "gathering": "leave it out: grains are gathered when they are needed",
    "host_key_checking": _OF_HOST.format("`host_key`; the key of a host is always checked"),
    "private_key_file": _OF_HOST.format("`priv`"),
    "remote_port": _OF_HOST.format("`port`"),
    "remote_user": _OF_HOST.format("`user`"),
    "roles_path": "write `file_roots: {base: [states, FOLDER]}`: `include` finds SLS in these folders",
    "stdout_callback": "write `state_output`, or `ensue apply --out json`",
    "vault_password_file": _VAULT,
    "backend": "`store_url` names the store that several machines share",
    "remote_state": "`store_url` names the store that several machines share",
    **dict.fromkeys(("resources", "resource", "hosts", "inventory", "roster"), _IN_PILLAR),
    "master": "leave it out: ensue needs no master",
    "pillar": "pillar is in files below pillar/, assigned by pillar/top.sls",
    "environment": "`ensue deploy --env ENV`, or `saltenv` and `pillarenv`",
    **dict.fromkeys(
        ("idem", "sls_sources", "state_roots", "tree"),
        "write `file_roots: {base: [FOLDER]}`: SLS are found in these folders (states/ by default)",
    ),
    **dict.fromkeys(("param_sources", "params"), "what Idem calls params is pillar: `pillar_roots`"),
    **dict.fromkeys(
        ("acct", "acct_file", "acct_key", "acct_profile"),
        "credentials are values of pillar, in which `ensue keys encrypt` keeps them encrypted",
    ),
    "esm_plugin": "leave it out: enforced state is always kept; `store_url` says where",
}
"""What to do instead of an option of another tool."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """A project's options, every default filled in.

    Args:
        root: the project's root, absolute.
        minion_id: the id of this machine.
        cachedir: the folder for persistent data.
        file_roots: the folders of each environment.
        pillar_roots: the pillar folders of each environment.
        values: every option by name, for `opts` in templates and for plug-ins.
        given: the names of the options that the file or the caller sets.
        secrets: texts in options that came from an `sdb` store.
        warnings: the warnings about `ensue.yaml`.
    """

    root: Path
    minion_id: str
    cachedir: Path
    file_roots: Mapping[str, tuple[Path, ...]]
    pillar_roots: Mapping[str, tuple[Path, ...]]
    values: Mapping[str, Any]
    given: frozenset[str] = frozenset()
    secrets: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    def option(self, name: str, default: Any = None) -> Any:
        """Return an option's value, or the default if it is not set."""
        return self.values.get(name, default)

    @property
    def repeat_limit(self) -> int | None:
        """How often a delayed block or SLS is rendered by default; None for no limit."""
        limit = self.values.get("delayed_repeat_limit", 1)
        return None if limit == NO_LIMIT else limit

    @property
    def minion_config(self) -> dict[str, Any]:
        """The configuration of this machine as a target: `root`, if the project sets one."""
        root = self.values.get("minion_root")
        return {"root": str((self.root / root).resolve())} if root else {}

    @property
    def keep_output_bytes(self) -> int:
        """How many bytes of each command output are kept after the run."""
        return size_bytes(self.values.get("keep_output_bytes")) or KEEP_OUTPUT_BYTES


LookUp: TypeAlias = "Callable[[dict[str, Any], Path], tuple[dict[str, Any], tuple[str, ...]]]"
"""Takes options and the project's folder; returns the options, and the secret texts in them."""


def _as_they_are(values: dict[str, Any], _: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    return values, ()


def read_settings(
    root: Path, minion_id: str | None, overrides: Mapping[str, Any], look_up: LookUp = _as_they_are
) -> Settings:
    """Read `ensue.yaml` of a project.

    Args:
        root: the folder of the project.
        minion_id: the id of this machine; None for the option `id`.
        overrides: options that take precedence over those of the file.
        look_up: replaces references to external values (`sdb://`).

    Raises:
        ConfigurationError: the file is invalid; carries all errors.
    """
    try:
        root = root.absolute()
    except FileNotFoundError:
        fault = Diagnostic(
            code="E0103", summary="the working directory is gone", help="change to another one"
        )
        raise ConfigurationError([fault]) from None
    if not is_folder(root):
        raise ConfigurationError(
            [Diagnostic(code="E0103", summary=f"there is no folder {root}", help="check --root")]
        )
    given, warnings = _read_file(root / FILE_NAME)
    values, secrets = look_up({**given, **overrides}, root)
    cachedir = root / str(values.get("cachedir", ".ensue"))
    values.setdefault("failhard", False)
    values.setdefault("state_auto_order", True)
    values.setdefault("resource_pillar_key", "resources")
    values.setdefault("saltenv", None)
    values.setdefault("pillarenv", None)
    # Formulas detect a masterless run (`salt-call --local`) by it.
    values.setdefault("file_client", "local")
    values.setdefault("__cli", "salt-call")
    own_id = minion_id or values.get("id") or socket.gethostname()
    values.update(id=own_id, cachedir=str(cachedir), root_dir=str(root), config_dir=str(root))
    file_roots = _folders(root, values.get("file_roots"), "states")
    pillar_roots = _folders(root, values.get("pillar_roots"), "pillar")
    values["file_roots"] = _as_text(file_roots)
    values["pillar_roots"] = _as_text(pillar_roots)
    return Settings(
        root=root,
        minion_id=str(own_id),
        cachedir=cachedir,
        file_roots=file_roots,
        pillar_roots=pillar_roots,
        values=values,
        given=frozenset((*given, *overrides)),
        secrets=secrets,
        warnings=warnings,
    )


def _folders(root: Path, given: Any, default: str) -> dict[str, tuple[Path, ...]]:
    if given is None:
        return {"base": (root / default,)}
    by_environment = given if is_mapping(given) else {"base": given}
    return {
        str(environment): tuple(root / str(folder) for folder in (listed if is_list(listed) else [listed]))
        for environment, listed in by_environment.items()
    }


def _as_text(folders: Mapping[str, tuple[Path, ...]]) -> dict[str, list[str]]:
    return {environment: [str(folder) for folder in listed] for environment, listed in folders.items()}


def _read_file(path: Path) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    if not is_regular(path) and not obstacle(path):
        return {}, _misnamed(path)
    from ensue.language.yaml import YamlDocument, load_document
    from ensue.language.yaml.input_files import read_text

    try:
        document = YamlDocument(FILE_NAME, read_text(path, FILE_NAME))
        data = load_document(document)
    except CompileError as error:
        raise ConfigurationError(error.diagnostics) from None
    if data is None:
        return {}, ()
    if not is_mapping(data):
        raise ConfigurationError(
            [
                Diagnostic(
                    code="E0101",
                    summary="ensue.yaml is not a mapping",
                    span=document.source_span(1),
                    help="write `option: value` lines",
                )
            ]
        )
    faults = [fault for name, value in data.items() for fault in _check(document, str(name), value)]
    if is_mapping(groups := data.get("nodegroups")):
        from ensue.language.settings.nodegroups import nodegroup_errors

        faults += nodegroup_errors(groups, document)
    if any(fault.severity is Severity.ERROR for fault in faults):
        raise ConfigurationError(faults)
    return {str(name): value for name, value in data.items()}, tuple(faults)


def instead_of_setting(name: str) -> str:
    """Return what to do instead of an option of another tool's settings; empty if it is none."""
    advice = _ELSEWHERE.get(name, "")
    return f"`{name}` is no option of ensue.yaml: {advice}" if advice else ""


def _misnamed(path: Path) -> tuple[Diagnostic, ...]:
    """Return a warning if the options are in a file of a similar name, which nothing reads."""
    other = path.with_suffix(".yml")
    if not is_regular(other):
        return ()
    fault = Diagnostic(
        code="E0102",
        summary=f"nothing reads {other.name}",
        span=Span(other.name),
        help=f"rename it to {path.name}",
        severity=Severity.WARNING,
    )
    return (fault,)


def _check(document: YamlDocument, name: str, value: Any) -> Iterator[Diagnostic]:
    from ensue.language.settings.option_table import OPTIONS, SECRET

    kind = OPTIONS.get(name)
    if kind is None:
        if is_mapping(value) and "driver" in value:
            return  # An `sdb` profile, whose name the user chooses.
        from ensue.language.collector import near_names

        yield Diagnostic(
            code="E0102",
            summary=f"ensue has no option {name!r}; it is passed on to templates as opts[{name!r}]",
            span=document.locate((name,)),
            help=_ELSEWHERE.get(name, "") or near_names(name, OPTIONS),
            severity=Severity.WARNING,
        )
        return
    for misfit in kind.misfits(value):
        shown = ":".join(map(str, (name, *misfit.keys)))
        is_what = "cannot be used" if name in SECRET else f"is {misfit.value!r}"
        yield Diagnostic(
            code="E0101",
            summary=f"the option {shown!r} {is_what}",
            span=document.locate((name, *misfit.keys)),
            help=misfit.help,
        )
