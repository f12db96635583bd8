"""The filter `xml`: a mapping as an XML document.

Scalars are attributes of their element, mappings are elements inside it, and a list is one element per item.

Source: Salt's Jinja documentation ("Format filters"), 3008; results measured there, code our own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from jinja2 import TemplateRuntimeError
from markupsafe import Markup

from ensue.language.jinja.filters.kinds import is_mapping, is_row, keeps_undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from xml.dom.minidom import Document, Element


@keeps_undefined
def to_xml(value: Any) -> Markup:
    """Return a mapping of one key, the name of the root element, as an XML document.

    Raises:
        TemplateRuntimeError: it is not such a mapping, or contains values that XML cannot represent.
    """
    if not is_mapping(value) or len(value) != 1:
        raise TemplateRuntimeError("xml takes a mapping of one key, the name of the root element")
    from xml.dom.minidom import Document

    document = Document()
    (name, content), *_ = value.items()
    document.appendChild(_element(document, str(name), content))
    return Markup(document.toprettyxml(indent=" "))  # noqa: S704 (Salt marks it as safe)


def _element(document: Document, name: str, content: Any) -> Element:
    element = document.createElement(name)
    if isinstance(content, (str, int, float)):
        element.appendChild(document.createTextNode(str(content)))
        return element
    if not is_mapping(content):
        msg = f"xml: the element {name!r} has to be a scalar or a mapping, not a {type(content).__name__}"
        raise TemplateRuntimeError(msg)
    for key, inner in content.items():
        if is_row(inner):
            for item in inner:
                element.appendChild(_element(document, str(key), item))
        elif is_mapping(inner):
            element.appendChild(_element(document, str(key), inner))
        else:
            element.setAttribute(str(key), str(inner))
    return element


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {"xml": to_xml}
"""Filters by the name that templates use."""
