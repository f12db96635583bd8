"""Records of runs: the project lock, journals, resuming, enforced state, and what each call read."""
