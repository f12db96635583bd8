"""Salt's own functions, for what ensue lacks: they run in Salt's Python, beside this process."""
