"""A directed graph over integers, independent of the product; `transforms/` lowers plans to it."""
