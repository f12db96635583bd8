"""Delayed rendering, as far as it belongs to the language: what it sees, and how often it may happen."""
