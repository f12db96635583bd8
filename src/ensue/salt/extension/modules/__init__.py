"""Execution modules for Salt."""
