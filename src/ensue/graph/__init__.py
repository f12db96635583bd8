"""A directed graph over integers that knows nothing of the product; `transforms/` lower plans to it."""
