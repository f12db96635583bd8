"""What is kept of a run: its lock, its journal, what a resumed run takes over, what its calls have read."""
