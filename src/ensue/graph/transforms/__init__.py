"""Lowering a plan to edges, one rule a module; `lower.py` applies them all."""
