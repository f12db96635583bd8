"""State modules for Salt."""
