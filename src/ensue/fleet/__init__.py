"""Runs over many minions of a Salt master: shipping ensue, publishing jobs, and collecting what minions report."""
