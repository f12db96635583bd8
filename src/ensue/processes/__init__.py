"""Running processes of this machine on the event loop: commands of the managing minion, programs of drivers.

It knows processes, pipes and signals. What a command is, who runs it on which target, and what its output
means is left to its callers.
"""
