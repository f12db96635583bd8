"""Runs over many minions of a Salt master: ships ensue, publishes jobs, reads what minions report."""
