"""The states and execution modules that ensue ships, one file or package for each, named for it.

They know contracts and what reaches a target, and never the language, the engine or a store.
"""
