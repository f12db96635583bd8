"""What stands between a state and a connection during a run: each adds one thing to what passes through."""
