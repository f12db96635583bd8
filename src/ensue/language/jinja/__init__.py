"""Jinja as SLS files use it: Salt's context, filters, tags and template loader, with exact places."""

from ensue.language.jinja.render import JinjaRenderer

__all__ = ["JinjaRenderer"]
