"""The environments that a project's options select, for SLS (`saltenv`) and for pillar (`pillarenv`).

Source: Salt's `saltenv`, `pillarenv`, `pillarenv_from_saltenv`, `top_file_merging_strategy`,
`env_order`, `default_top`, `state_top`, `state_top_saltenv`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.language.merging import Merging
from ensue.language.pillar import PillarOptions
from ensue.language.top import TopOptions

if TYPE_CHECKING:
    from ensue.language.merging import Strategy
    from ensue.language.settings.settings import Settings


def saltenv_of(settings: Settings) -> str:
    """Return the environment in which SLS are looked up that are requested by name."""
    return str(settings.option("saltenv") or "base")


def selected_environments(settings: Settings, *, highstate: bool) -> str:
    """Return what selects the environments of a run, in the words of the command line; empty: nothing does.

    Args:
        settings: the options.
        highstate: whether the top files decide what is applied; without `saltenv` they do so in all
            environments, and an SLS that is applied by name is in `base`.
    """
    saltenv = str(settings.option("saltenv") or "")
    if saltenv == "base" and not highstate:
        saltenv = ""
    pillarenv = pillar_options(settings).top.saltenv
    words = (("--saltenv", saltenv), ("--pillarenv", pillarenv))
    return " ".join(f"{option} {name}" for option, name in words if name)


def top_options(settings: Settings) -> TopOptions:
    """Return the options for reading the top files of SLS."""
    return TopOptions(
        saltenv=str(settings.option("saltenv") or ""),
        strategy=settings.option("top_file_merging_strategy") or "merge",
        env_order=_env_order(settings),
        default_top=str(settings.option("default_top") or "base"),
        name=_top_name(settings),
        only_in=str(settings.option("state_top_saltenv") or ""),
    )


def pillar_options(settings: Settings) -> PillarOptions:
    """Return the options for compiling pillar."""
    strategy: Strategy = settings.option("pillar_source_merging_strategy") or "smart"
    saltenv = str(settings.option("saltenv") or "")
    pillarenv = str(settings.option("pillarenv") or "")
    if not pillarenv and settings.option("pillarenv_from_saltenv"):
        pillarenv = saltenv
    return PillarOptions(
        merging=Merging(
            strategy=strategy,
            lists=bool(settings.option("pillar_merge_lists")),
            renderer=str(settings.option("renderer", "")),
        ),
        top=TopOptions(
            saltenv=pillarenv,
            strategy="replace",
            env_order=_env_order(settings),
            name=_top_name(settings),
            only_in=(saltenv or "base") if strategy == "none" else "",
            sorted=True,
        ),
        includes_outrank=bool(settings.option("pillar_includes_override_sls")),
    )


def _env_order(settings: Settings) -> tuple[str, ...]:
    return tuple(map(str, settings.option("env_order") or ()))


def _top_name(settings: Settings) -> str:
    """Return the SLS name of the top file (`top.sls`, `salt://tops/web.sls`)."""
    path = str(settings.option("state_top") or "top.sls").removeprefix("salt://").strip("/")
    return path.removesuffix(".sls").replace("/", ".")
