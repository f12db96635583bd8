"""The defaults that docs/configuration.md gives are those that the code uses."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from ensue.core.model.kept_output import KEEP_OUTPUT_BYTES
from ensue.core.model.own_grains import DEFAULT_PATH
from ensue.core.model.sizes import size_bytes
from ensue.language.renderers.pgp_messages import DEFAULT_FOLDER
from ensue.language.settings.environments import pillar_options, top_options
from ensue.language.settings.option_table import OPTIONS
from ensue.language.settings.settings import read_settings
from ensue.library.modules import aliases
from ensue.store.registry.audit_files import AuditLimits
from ensue.store.registry.grains_cache import DEFAULT_EXPIRATION_S
from ensue.store.runs.journal import KEEP_RUNS, KEEP_RUNS_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "src/ensue"
UNITS = {"audit_max_size", "keep_runs_bytes", "keep_output_bytes"}
_ROW = re.compile(r"^\| `([\w.]+)` \| .+? \| `([^`]+)`[^|]* \| [^|]+ \|$", re.MULTILINE)


def documented() -> dict[str, Any]:
    """Return the defaults of the page that are values, sizes in bytes."""
    text = (ROOT / "docs/configuration.md").read_text().replace("\\|", "¦")
    defaults = {name: yaml.safe_load(default.replace("¦", "|")) for name, default in _ROW.findall(text)}
    return {name: size_bytes(value) if name in UNITS else value for name, value in defaults.items()}


def written_in_code() -> Iterator[tuple[str, Any]]:
    """Yield the options that the code reads with a literal default (`option("renderer", "yaml")`), and it."""
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        if ".option(" in text or "values.setdefault(" in text:
            for node in ast.walk(ast.parse(text)):
                yield from _default_in(node)


def _default_in(node: ast.AST) -> Iterator[tuple[str, Any]]:
    match node:
        case ast.Call(
            func=ast.Attribute(attr="option"),
            args=[ast.Constant(value=str() as name)],
            keywords=[ast.keyword(arg="default", value=ast.Constant() as default)],
        ):
            pass
        case ast.Call(
            func=ast.Attribute(attr="option" | "setdefault"),
            args=[ast.Constant(value=str() as name), ast.Constant() as default],
        ):
            pass
        case ast.BoolOp(
            op=ast.Or(),
            values=[
                ast.Call(func=ast.Attribute(attr="option"), args=[ast.Constant(value=str() as name)]),
                ast.Constant() as default,
            ],
        ):
            pass
        case _:
            return
    if name in OPTIONS:
        yield name, default.value


def test_every_default_that_the_code_names_is_the_documented_one() -> None:
    """What the code writes beside the name of an option is what the page says; empty values say none."""
    page = documented()
    written = {(name, value) for name, value in written_in_code() if value not in {None, ""}}
    assert len({name for name, _ in written}) >= 12
    assert {(name, value) for name, value in written if page.get(name) != value} == set()


def test_defaults_that_are_made_elsewhere_are_the_documented_ones(tmp_path: Path) -> None:
    """Folders, environments, files of targets and sizes."""
    page, settings, limits = documented(), read_settings(tmp_path, None, {}), AuditLimits()
    pillar, top = pillar_options(settings), top_options(settings)
    made = {
        "cachedir": settings.cachedir.name,
        "file_roots": settings.file_roots["base"][0].name,
        "pillar_roots": settings.pillar_roots["base"][0].name,
        "delayed_repeat_limit": settings.repeat_limit,
        "grains_file": DEFAULT_PATH,
        "aliases.file": aliases._FILE,
        "gpg_keydir": DEFAULT_FOLDER,
        "pillar_source_merging_strategy": pillar.merging.strategy,
        "top_file_merging_strategy": top.strategy,
        "default_top": top.default_top,
        "state_top": f"{top.name}.sls",
        "audit_max_size": limits.max_bytes,
        "audit_keep_files": limits.keep_files,
        "keep_output_bytes": KEEP_OUTPUT_BYTES,
        "keep_runs": KEEP_RUNS,
        "keep_runs_bytes": KEEP_RUNS_BYTES,
        "grains_cache_expiration": DEFAULT_EXPIRATION_S,
    }
    assert {name: page[name] for name in made} == made


def test_a_flag_that_the_code_gives_no_default_is_off() -> None:
    """Such a flag is false unless it is set; `state_verbose` alone is looked at for an explicit false."""
    given = {"state_verbose", "test", *(name for name, _ in written_in_code())}
    flags = {name for name, kind in OPTIONS.items() if kind.takes == "a bool"} - given
    page = documented()
    assert {name: page[name] for name in flags} == dict.fromkeys(flags, False)
