"""The Jinja environment of the template driver: sandboxed, strict about names, without files.

A key of a mapping takes precedence over a method of the same name, so `driver.values.host` is the key
`values`. Values are printed as in YAML: `null`, `true`, and JSON for lists and mappings.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import missing

from ensue.core.errors import DriverError
from ensue.core.model.data import is_mapping
from ensue.core.model.secret_marks import Secret, holds_secret
from ensue.deploy.drivers.templates.jinja_functions import FILTERS, WITH_SECRETS, functions
from ensue.deploy.drivers.templates.jinja_printing import (
    mark_printed,
    printing_functions,
    tracking_functions,
    written_join,
)
from ensue.deploy.drivers.templates.jinja_secrets import TrackingEnvironment, tracking_filters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.deploy.drivers.templates.guards import Guards
    from ensue.deploy.drivers.templates.language import Chance, PlaceKind

_FILE: Final = "<template>"
_NAMES: Final = ("driver", "resource", "id", "init", "cookie", "outputs")
_KEPT_GLOBALS: Final = ("range", "dict", "namespace", "cycler", "joiner")


class JinjaTemplate:
    """A compiled Jinja template.

    Args:
        template: the template.
        name: its name in errors.
        tracks_secrets: whether it is compiled for data with secrets.
    """

    def __init__(self, template: jinja2.Template, name: str, *, tracks_secrets: bool) -> None:
        self._template = template
        self._name = name
        self._tracks_secrets = tracks_secrets

    def render(self, data: Mapping[str, Any], chance: Chance, guards: Guards) -> str:
        """Return what the template prints.

        Args:
            data: its variables.
            chance: records calls of functions that use randomness.
            guards: marks what is printed.

        Raises:
            DriverError: a key is missing, or an expression failed.
        """
        printing = (tracking_functions if self._tracks_secrets else printing_functions)(guards)
        try:
            return self._template.render({**functions(chance), **printing, **data})
        except Exception as error:  # noqa: BLE001 -- an expression of a template raises whatever it likes
            raise DriverError(_message(error, self._name)) from None


@lru_cache(maxsize=256)
def compiled(text: str, name: str, *, tracks_secrets: bool = False) -> JinjaTemplate:
    """Compile a template, once for all the resources of a definition.

    Args:
        text: the template.
        name: its name in errors.
        tracks_secrets: whether its data may contain secrets.

    Raises:
        DriverError: it does not parse, or uses a filter that does not exist.
    """
    environment = _tracking_environment() if tracks_secrets else _environment()
    try:
        tree = environment.parse(text, name, _FILE)
        mark_printed(tree, environment, tracks_secrets=tracks_secrets)
        code = environment.compile(tree, name, _FILE)
    except Exception as error:  # noqa: BLE001 -- what Jinja makes of a template is Python, which it compiles
        raise DriverError(_message(error, name)) from None
    template = jinja2.Template.from_code(environment, code, environment.globals)
    return JinjaTemplate(template, name, tracks_secrets=tracks_secrets)


def tokens_of(text: str, name: str) -> list[tuple[PlaceKind, str]]:
    """Return the tokens of a template without its comments.

    Args:
        text: the template.
        name: its name in errors.

    Raises:
        DriverError: it cannot be read.
    """
    tokens: list[tuple[PlaceKind, str]] = []
    is_raw = False
    try:
        for _, kind, held in _environment().lex(text, name, _FILE):
            is_raw = kind == "raw_begin" or (is_raw and kind != "raw_end")
            if kind == "data":
                tokens.append(("raw" if is_raw else "text", held))
            elif kind != "comment":
                tokens.append(("string" if kind == "string" else "code", held))
    except jinja2.TemplateSyntaxError as error:
        raise DriverError(_message(error, name)) from None
    return tokens


class _Undefined(jinja2.StrictUndefined):
    """An undefined name; its error suggests similar names."""

    __slots__ = ()

    def __init__(
        self,
        hint: str | None = None,
        obj: Any = missing,
        name: Any = None,
        exc: type[jinja2.TemplateRuntimeError] = jinja2.UndefinedError,
    ) -> None:
        if hint is None and name is not None:
            known = _NAMES if obj is missing else obj
            if known is _NAMES or is_mapping(known):
                hint = f"there is no {'name' if known is _NAMES else 'key'} {name}{_near(name, known)}"
        super().__init__(hint, obj, name, exc)


class _Environment(ImmutableSandboxedEnvironment):
    """A sandbox in which the keys of a mapping take precedence over its methods."""

    # What a macro returns, and what a block captures: the values in it have marks.
    concat = staticmethod(written_join)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return a key of a mapping, else an attribute that the sandbox allows."""
        if is_mapping(obj) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return the method `format` of a text; the values in its result are no author's."""
        filled = super().wrap_str_format(value)
        return None if filled is None else lambda *args, **options: str(filled(*args, **options))


class _TrackingEnvironment(TrackingEnvironment, _Environment):
    """The same for data with secrets."""


@cache
def _environment() -> _Environment:
    return _made(_Environment)


@cache
def _tracking_environment() -> _Environment:
    environment = _made(_TrackingEnvironment)
    environment.filters = tracking_filters({**environment.filters, **WITH_SECRETS})
    return environment


def _made(kind: type[_Environment]) -> _Environment:
    environment = kind(
        undefined=_Undefined,
        finalize=_printed,
        keep_trailing_newline=True,
        loader=jinja2.FunctionLoader(_no_file),
    )
    environment.globals = {name: environment.globals[name] for name in _KEPT_GLOBALS}
    environment.filters.update(FILTERS)
    del environment.filters["random"]
    return environment


def _no_file(name: str) -> None:
    raise jinja2.TemplateNotFound(name, f"a driver's template cannot include or import others ({name})")


def _printed(value: Any) -> Any:
    """Return what `{{ value }}` prints."""
    match value:
        case None | bool() | dict() | list() | tuple():
            return json.dumps(value, ensure_ascii=False)
        case str() | int() | float() | jinja2.Undefined():
            return value
        case Iterator():
            msg = "what is printed is a generator (write `| list` behind it)"
        case _:
            msg = f"what is printed is no data: {getattr(value, '__name__', type(value).__name__)}"
    raise jinja2.TemplateRuntimeError(msg)


def _near(name: Any, known: Any) -> str:
    import difflib

    names = [str(name) for name in known if not isinstance(name, Secret)]
    close = difflib.get_close_matches(str(name), names, n=2)
    if close:
        return f" (did you mean {' or '.join(close)}?)"
    return f" (there are {', '.join(names)})" if names else ""


def _message(error: Exception, name: str) -> str:
    line = _line(error)
    where = f"{name}:{line}" if line else name
    match error:
        case jinja2.TemplatesNotFound() if holds_secret(error.templates):
            what = "a driver's template cannot include or import others"
        case jinja2.TemplateNotFound() if holds_secret(error.name):
            what = "a driver's template cannot include or import others"
        case RecursionError():
            what = "it is nested too deep, or a macro calls itself without end"
        case jinja2.TemplateError():
            what = " ".join(str(error.message or error).split())
        case _:
            what = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return f"{where}: {what}"


def _line(error: Exception) -> int:
    if isinstance(error, jinja2.TemplateSyntaxError):
        return error.lineno
    # Jinja gives the frames of a template its lines.
    lines = [
        line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == _FILE
    ]
    return lines[-1] if lines else 0
