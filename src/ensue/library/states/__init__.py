"""State functions that come with ensue: one Python module or package per state module, such as `file`.

They work only through the target's connection, so that they run on this machine and on any other alike.
The composition root finds them, and the engine calls them.
"""
