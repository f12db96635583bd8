"""State functions that come with ensue, one module or package a state module (`file`, `cmd`, `test`, …).

Each works through the target's connection alone, so that it runs on this machine and on any other alike.
Finding and calling them is the composition root's and the engine's work.
"""
