"""How Sphinx builds the documentation; `make docs` runs it with warnings as errors.

Pages name the file of an example in a comment before it, which the tests read:
`<!-- file: states/hello.sls -->`. The built pages have that name as the caption of the block. The pages below
`reference/` are made from the docstrings of functions when the build starts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ensue.output.documentation import write_reference

project = "ensue"
author = "the ensue authors"
copyright = "the ensue authors"  # the page footer's text

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
nitpicky = True

html_theme = "furo"
html_title = "ensue"
# The pages carry no fonts, scripts or pictures of other sites.
html_show_sphinx = False

_FILE = re.compile(
    r"^<!-- *file: *(?P<path>[^\n]*?) *-->\n+^(?P<fence>```+)(?P<language>[\w-]*)[^\n]*\n", re.MULTILINE
)


def with_captions(text: str) -> str:
    """Return a page whose named examples are code blocks with a caption.

    Args:
        text: the page, in Markdown.
    """
    return _FILE.sub(_captioned, text)


def _captioned(match: re.Match[str]) -> str:
    fence, language, path = match["fence"], match["language"] or "text", match["path"]
    return f"{fence}{{code-block}} {language}\n:caption: {path}\n\n"


def _read(_app: Any, _page: str, source: list[str]) -> None:
    source[0] = with_captions(source[0])


def _write_reference(app: Any) -> None:
    write_reference(Path(app.srcdir) / "reference")


def setup(app: Any) -> dict[str, bool]:
    """Write the reference pages before Sphinx looks for pages; change pages as they are read."""
    app.connect("builder-inited", _write_reference)
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
