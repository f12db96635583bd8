"""The graph of a run as something to look at: what is known before it, or what it grew into.

`drawing` is what there is to draw, `from_plan` and `from_events` make one, and each other module writes
one form of it: `text`, `dot`, `mermaid`, `data` and `svg`.
"""
