"""`salt.utils.templates`: rendering of files, through the execution function `slsutil.renderer`."""
# pyright: basic
# Custom code may pass values of any type.

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import EnsueError
from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.running import execution_function
from ensue.language.salt_names.utils.files import mkstemp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _renders(renderer: str) -> Callable[..., dict[str, Any]]:
    def render(
        tmplsrc: Any, from_str: bool = False, to_str: bool = False, context: Any = None, **options: Any
    ) -> dict[str, Any]:
        text = tmplsrc if from_str else Path(tmplsrc).read_text(encoding="utf-8")
        variables = {**options, **(context or {})}
        try:
            data = execution_function("slsutil.renderer")(string=text, default_renderer=renderer, **variables)
        except EnsueError as error:
            return {"result": False, "data": str(error)}
        if not to_str:
            text, data = data, mkstemp()
            Path(data).write_text(text, encoding="utf-8")
        return {"result": True, "data": data}

    return render


TEMPLATE_REGISTRY: Final[Mapping[str, Callable[..., dict[str, Any]]]] = {
    name: _renders(name) for name in ("jinja", "mako", "py")
}

__getattr__ = not_there(__name__)
