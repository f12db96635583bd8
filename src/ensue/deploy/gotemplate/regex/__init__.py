"""Regular expressions in Go's syntax (RE2), matched in time that is linear in the text.

Python's own matcher backtracks: an expression such as `(a+)+$` takes exponential time on a text that nearly
matches. Here all alternatives advance together, one character at a time, and a `StepBudget` counts the steps.
"""

from ensue.deploy.gotemplate.regex.example import example_of
from ensue.deploy.gotemplate.regex.machine import Match, StepBudget
from ensue.deploy.gotemplate.regex.program import compiled

__all__ = ["Match", "StepBudget", "compiled", "example_of"]
