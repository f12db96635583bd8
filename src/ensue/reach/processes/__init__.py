"""Runs processes of this machine on the event loop: commands of the managing minion, programs of drivers.

It deals with processes, pipes and signals. Its callers decide what a command is, on which target and as whom
it runs, and what its output means.
"""
