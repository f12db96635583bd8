"""Jinja as SLS files use it: Salt's context, filters, tags and template loader, with exact places."""

from ensue.language.jinja.render import JinjaOutput, JinjaRenderer

__all__ = ["JinjaOutput", "JinjaRenderer"]
