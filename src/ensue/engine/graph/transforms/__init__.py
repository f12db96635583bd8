"""Lower a plan to edges: one module per rule; `lower.py` applies them all."""
