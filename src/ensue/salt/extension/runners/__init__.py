"""Runners for Salt's master."""
