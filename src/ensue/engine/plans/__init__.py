"""The plans of a run: those it begins with, those of targets that join it, those that states request."""
