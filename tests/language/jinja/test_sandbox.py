"""No filter, test or function of templates reads an attribute that the sandbox refuses."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.errors import CompileError
from ensue.deploy.drivers.templates import jinja_environment
from ensue.language.jinja import JinjaRenderer
from ensue.language.jinja.environment import SaltJinjaEnvironment

if TYPE_CHECKING:
    import jinja2

INTERNAL = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)
INTERNAL += (types.CodeType, types.FrameType, types.MappingProxyType, types.MethodWrapperType)
NAMES = ("__class__", "__class__.__base__", "__globals__", "gi_frame")
FORMATS = ("{0.__class__}", "{0.__init__}", "{0.__class__.__mro__}")
WAYS = [
    "s | {filter}(n)",
    "s | {filter}(n, n)",
    "[s] | {filter}(n) | list",
    "[s] | {filter}(attribute=n) | list",
    "[s, s] | {filter}(attribute=n)",
    "[s] | {filter}('method_call', n) | list",
    "[s] | {filter}('attr', n) | list",
    "{{n: s}} | {filter}(n)",
    "n | {filter}(s)",
]


class Subject:
    """A value with attributes."""

    field = "x"

    def method(self) -> str:
        """Return a text."""
        return "x"


def drivers() -> jinja2.Environment:
    """Return the environment of the template driver."""
    return jinja_environment._environment()


def slss() -> jinja2.Environment:
    """Return the environment of SLS."""
    return SaltJinjaEnvironment({}, str)


def reached(value: Any) -> bool:
    """Return whether a value is, or has in it, something of Python's internals."""
    if isinstance(value, dict):
        return any(map(reached, (*value.keys(), *value.values())))
    if isinstance(value, (list, tuple, set)):
        return any(map(reached, value))
    return isinstance(value, INTERNAL) or (isinstance(value, str) and "<class" in value)


@pytest.mark.parametrize("make", [slss, drivers])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_no_filter_and_no_test_reaches_internals(make: Any, way: str) -> None:
    """Every filter and test, given a name as text in any place, returns nothing of Python's internals."""
    environment = make()
    texts = [way.format(filter=name) for name in sorted(environment.filters) if name.isidentifier()]
    if way.startswith("[s]"):
        words = "selectattr", "rejectattr", "select", "reject"
        texts += [f"[s] | {word}(n, '{test}', n) | list" for word in words for test in environment.tests]
    leaks = []
    for text in texts:
        expression = environment.compile_expression(text, undefined_to_none=True)
        for subject in (Subject(), "text", Subject().method, (i for i in "a")):
            for name in NAMES:
                try:
                    value = expression(s=subject, n=name)
                except Exception:  # noqa: BLE001, S112 -- a filter refuses such arguments in its own way
                    continue
                if reached(value) and not reached(subject):
                    leaks.append((text, subject, name, value))
    assert leaks == []


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "text",
    [
        "{{ f.format(s) }}",
        "{{ f | method_call('format', s) }}",
        "{{ (f | attr('format'))(s) }}",
        "{{ [f] | map('method_call', 'format', s) | join }}",
        "{{ f.replace('0', 'a') | method_call('format_map', {'a': s}) }}",
        "{{ [f] | map(attribute='format') | list | first | method_call('__call__', s) }}",
        "{% set call = f.format %}{{ call(s) }}",
    ],
)
def test_fields_of_a_format_stay_in_the_sandbox(text: str, form: str) -> None:
    """However a template gets hold of `format`, its fields reach no internals."""
    with pytest.raises(CompileError):
        JinjaRenderer([], shorten=str).render(text, {"f": form, "s": "x"}, path="t.sls")


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__ | method_call('mro') }}",
        "{{ 'a' | method_call('__class__') }}",
        "{{ odict | method_call('__subclasses__') }}",
        "{{ raise | method_call('__getattribute__', '__globals__') }}",
        "{{ cycler | method_call('__init__') }}",
        "{{ odict | method_call('mro') | map('method_call', '__subclasses__') | list }}",
    ],
)
def test_method_call_is_refused_what_the_sandbox_refuses(text: str) -> None:
    """`method_call` is no way around the sandbox, and the error says what it is."""
    with pytest.raises(CompileError) as caught:
        JinjaRenderer([], shorten=str).render(text, {}, path="t.sls")
    assert "unsafe" in str(caught.value)


def test_method_call_calls_methods() -> None:
    """Methods that the sandbox allows are called, and a missing one gives none."""
    text = "{{ 'a-b' | method_call('split', sep='-') }} {{ 'a' | method_call('nothing') }}"
    rendered = JinjaRenderer([], shorten=str).render(text, {}, path="t.sls")
    assert rendered.text == "['a', 'b'] None"
