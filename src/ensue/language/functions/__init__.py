"""State and execution functions: found by name, with what they accept, for SLS and templates."""
