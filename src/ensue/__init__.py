"""ensue: a desired-state engine in which one apply owns the whole outcome."""

__version__ = "0.1.0.dev0"
