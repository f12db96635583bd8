"""Which names of environments look misspelt, and what a deployment of a new environment reports."""

from __future__ import annotations

import pytest

from ensue.deploy.environments.new_environments import notice_new_environment, refuse_misspelt_type
from ensue.deploy.environments.refusals import Refusals
from ensue.deploy.provisioning.identity import Context
from ensue.language.collector import Collector


def context(app: str, env: str) -> Context:
    """Return an environment."""
    return Context(app=app, env=env, env_type="t", org="")


def report(known: list[Context], *removed: Context, is_plan: bool = False) -> Collector:
    """Return what the first deployment of shop/deev reports."""
    collector = Collector()
    refusals = Refusals(is_plan=is_plan)
    notice_new_environment(context("shop", "deev"), known, removed, collector, refusals)
    assert refusals.codes == (tuple(each.code for each in collector.warnings) if is_plan else ())
    return collector


def test_the_first_environment_needs_no_word() -> None:
    """Nothing else is in the store."""
    collector = report([])
    assert not collector.errors
    assert not collector.warnings


def test_a_misspelt_environment_is_refused_and_a_plan_warns() -> None:
    """Both name the environments that there are, and the one that is meant."""
    known = [context("shop", "dev"), context("shop", "prod")]
    [error] = report(known).errors
    assert error.code == "E0898"
    assert error.summary == "new environment shop/deev: the application shop has dev, prod"
    assert error.help.startswith("write --env dev; --new-env")
    collector = report(known, is_plan=True)
    assert not collector.errors
    assert [warning.summary for warning in collector.warnings] == [error.summary]


def test_another_environment_or_application_is_a_warning() -> None:
    """They are named, the first ten of many."""
    [warning] = report([context("shop", "prod")]).warnings
    assert warning.help == "correct --env if one of these is meant"
    [warning] = report([context(f"app-{number:02}", "dev") for number in range(12)]).warnings
    assert warning.summary.startswith("new application shop: the store has app-00, ")
    assert warning.summary.endswith("app-09 and 2 more")


def test_an_application_of_which_everything_was_removed_is_not_new() -> None:
    """Its environments are named, and a misspelt one is refused as ever."""
    others = [context("other", "dev")]
    [warning] = report(others, context("shop", "prod"), *others).warnings
    assert warning.summary == "new environment shop/deev: the application shop has had prod"
    [error] = report(others, context("shop", "dev")).errors
    assert error.summary == "new environment shop/deev: the application shop has had dev"


@pytest.mark.parametrize(
    ("named", "used", "is_refused"),
    [
        ({"tt", "tee"}, {"production"}, False),
        ({"staging", "development"}, set[str](), True),
        (set[str](), {"development"}, True),
        ({"development"}, {"develpment"}, False),
        ({"development", "develpment"}, set[str](), False),
        (set[str](), set[str](), False),
    ],
)
def test_a_misspelt_type_is_refused(named: set[str], used: set[str], *, is_refused: bool) -> None:
    """Unless a definition or another environment has exactly that type."""
    collector = Collector()
    deployed = Context(app="shop", env="dev", env_type="develpment", org="")
    refuse_misspelt_type(deployed, named, used, collector.error)
    assert [error.help.partition(";")[0] for error in collector.errors] == [
        "write --env-type development"
    ] * is_refused


def test_a_misspelt_application_is_refused() -> None:
    """Its first environment would be a new one, whatever its name is."""
    [error] = report([context("shopp", "deev")]).errors
    assert error.help.startswith("write --app shopp")


@pytest.mark.parametrize(("known", "new"), [("qa", "qb"), ("dev", "de"), ("de", "dev")])
def test_short_names_differ_on_purpose(known: str, new: str) -> None:
    """One letter is a large part of a name of two: it is a warning."""
    reports = Collector()
    deployed = Context(app="shop", env=new, env_type="t", org="")
    notice_new_environment(deployed, [context("shop", known)], (), reports, Refusals(is_plan=False))
    assert not reports.errors
    assert reports.warnings
