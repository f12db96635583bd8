"""How Sphinx builds the documentation; `make docs` runs it with warnings as errors.

The pages below `reference/` are made from the docstrings of functions when the build starts.
"""

from pathlib import Path
from typing import Any

from ensue.app.documentation import write_reference

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


def setup(app: Any) -> None:
    """Write the reference pages before Sphinx looks for pages."""
    app.connect("builder-inited", lambda app: write_reference(Path(app.srcdir) / "reference"))
