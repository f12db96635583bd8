"""Regular expressions in Go's syntax (RE2), matched in time that is linear in the text.

Python's own matcher backtracks: an expression such as `(a+)+$` takes exponential time on a text that nearly
matches. Here all alternatives advance together, one character at a time, and a `Work` counts the steps.
"""

from ensue.deploy.gotemplate.regex.example import example_of
from ensue.deploy.gotemplate.regex.machine import Match, Work
from ensue.deploy.gotemplate.regex.program import Program, compiled

__all__ = ["Match", "Program", "Work", "compiled", "example_of"]
