"""The version of ensue, for what must not load the public API to know it."""

__version__ = "0.1.0"
