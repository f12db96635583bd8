"""Sprig's functions, one module per group of its documentation."""
