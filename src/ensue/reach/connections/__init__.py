"""Wrappers around the connection that a state uses during a run; each adds one behaviour."""
