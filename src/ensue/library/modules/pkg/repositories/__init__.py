"""apt's package repositories: the files that list them, and their signing keys."""
