"""Comparing what Salt and ensue make of one tree: Salt's side, the differences, and what they come from.

Nothing here compiles or plans on ensue's side, and nothing prints: `app.comparison` and `output.comparison`
do.
"""
