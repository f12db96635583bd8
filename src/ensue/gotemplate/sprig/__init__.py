"""Sprig's functions, a module per group of its documentation."""
