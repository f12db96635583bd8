"""Comparing what Salt and ensue make of one tree: Salt's side, the differences, and their causes.

`project_comparison` compiles and plans on ensue's side, and `output.comparison` prints.
"""
