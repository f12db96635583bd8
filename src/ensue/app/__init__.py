"""The composition root: the only room that wires plug-ins, language, stores and engine together.

It has no rules of its own: these are in the rooms of their nouns, which receive what they need. It may
import anything below it. Its door is `app.project`, with one method for each command.
"""
