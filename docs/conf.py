"""How Sphinx builds the documentation; `make docs` runs it with warnings as errors."""

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
