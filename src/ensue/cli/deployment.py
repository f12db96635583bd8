"""Shared by the commands on deployments: their options, and the files that they take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ensue.core.model.numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.deploy.provisioning.identity import Context

FILE_SUFFIXES: Final = (".yaml", ".yml", ".json")
"""The suffixes of Score files and deployment sets."""


LAST: Final = 0
"""In place of the number of a deployment: the last one."""


class DeploymentNumber(click.ParamType):  # type: ignore[type-arg] # generic only in newer versions of click
    """The number of a deployment, or `last`."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; `LAST` for the last deployment.

        Raises:
            click.BadParameter: it is neither.
        """
        if value in ("last", LAST):
            return LAST
        if number := whole_number(str(value)):
            return number
        message = f"{value!r} is neither the number of a deployment nor `last`"
        if isinstance(value, str) and not value[:1].isdecimal():
            message += (
                "; to deploy what another environment has, name that one with --env and the new one with "
                "--to-env: --env ENV --from last --to-env ENV"
            )
        raise click.BadParameter(message, ctx, param)


class DeploymentWords:
    """The options of a deployment, as given on the command line.

    Args:
        app: `--app`.
        env: `--env`.
        env_type: `--env-type`.
        org: `--org`.
        definitions: `--definitions`.
    """

    def __init__(
        self,
        app: str | None,
        env: str | None,
        env_type: str | None,
        org: str | None,
        definitions: Path | None = None,
    ) -> None:
        self.app = app
        self.env = env
        self.env_type = env_type
        self.org = org
        self.definitions = definitions

    def context(self, *, needs_type: bool = True) -> Context:
        """Return the context of the deployment: its application, environment and organization.

        Args:
            needs_type: whether the type of the environment is required.

        Raises:
            click.UsageError: an option is missing.
        """
        from ensue.deploy.provisioning.identity import Context

        given = {"--app": self.app, "--env": self.env}
        if needs_type:
            given["--env-type"] = self.env_type
        if missing := [name for name, value in given.items() if not value]:
            raise click.UsageError(f"a deployment needs {' and '.join(missing)}")
        return Context(
            app=self.app or "", env=self.env or "", env_type=self.env_type or "", org=self.org or ""
        )

    @property
    def given(self) -> list[str]:
        """The options of a deployment that the command line has."""
        values = {
            "--app": self.app,
            "--env": self.env,
            "--env-type": self.env_type,
            "--org": self.org,
            "--definitions": self.definitions,
        }
        return [option for option, value in values.items() if value]


def environment_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name an environment."""
    for option in (
        click.option("--org", metavar="ORG", help="The organization."),
        click.option("--env", metavar="ENV", help="The id of the environment."),
        click.option("--app", metavar="APP", help="The id of the application."),
    ):
        function = option(function)
    return function


def deployment_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the context of a deployment and the folder of its definitions."""
    for option in (
        click.option(
            "--definitions",
            metavar="DIR",
            type=click.Path(path_type=Path),
            help="The folder of resource definitions. Default: as ensue.yaml says, else definitions/.",
        ),
        click.option("--org", metavar="ORG", help="The organization, for ${context.org.id}."),
        click.option("--env-type", metavar="TYPE", help="The type of the environment, such as development."),
        click.option("--env", metavar="ENV", help="The id of the environment."),
        click.option("--app", metavar="APP", help="The id of the application."),
    ):
        function = option(function)
    return function


image_option: Final = click.option(
    "--image",
    "images",
    metavar="[WORKLOAD=]IMAGE",
    multiple=True,
    help="The image of containers whose image is '.'. May be given several times.",
)
"""The option that names images."""

value_option: Final = click.option(
    "--value",
    "values",
    metavar="NAME=VALUE",
    multiple=True,
    help="A value of the environment, for Score's types environment and service (RESOURCE.NAME=VALUE). "
    "May be given several times.",
)
"""The option that gives values of the environment."""


def given_values(texts: Sequence[str]) -> dict[str, str]:
    """Return values of the environment by name.

    Raises:
        click.UsageError: a text names no value.
    """
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise click.UsageError(f"--value {text!r}: write NAME=VALUE")
        values[name] = value
    return values


def given_images(texts: Sequence[str]) -> dict[str, str]:
    """Return images by workload; the key `*` has the image that is given without a workload.

    Raises:
        click.UsageError: a text names no image, or a workload has two.
    """
    from ensue.deploy.provisioning.images import ANY_WORKLOAD

    images: dict[str, str] = {}
    for text in texts:
        workload, equals, image = text.rpartition("=")
        name = workload if equals else ANY_WORKLOAD
        if not name or not image:
            raise click.UsageError(f"--image {text!r}: write IMAGE or WORKLOAD=IMAGE")
        if images.setdefault(name, image) != image:
            raise click.UsageError(f"--image {text!r}: the image is {images[name]!r} already")
    return images


def deployment_files(words: Sequence[str], deployment: DeploymentWords) -> list[Path]:
    """Return the Score files and deployment sets on a command line; empty if it names SLS.

    Raises:
        click.UsageError: the command line names both.
    """
    files = [word for word in words if _is_file(word, deployment)]
    if files and len(files) < len(words):
        others = ", ".join(word for word in words if word not in files)
        raise click.UsageError(f"SLS and files of a deployment cannot be drawn together: {others}")
    if not files and deployment.given:
        msg = "--app, --env, --env-type, --org and --definitions go with a Score file or a deployment set"
        raise click.UsageError(msg)
    return [Path(word) for word in files]


def _is_file(word: str, deployment: DeploymentWords) -> bool:
    """Return whether a word is a Score file or deployment set; `web.yaml` may also be an SLS name."""
    from ensue.core.files.regular_files import is_regular

    return word.endswith(FILE_SUFFIXES) and (bool(deployment.given) or is_regular(Path(word)))
