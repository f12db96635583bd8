"""Execution functions that come with ensue, one module or package per Salt module (`cmd`, `file`, …).

They are what templates call as `salt['cmd.run'](…)`, what `ensue call` runs, and what state functions
use through `ctx.call`. Each works through the target's connection alone.
"""
