"""The part of delayed rendering that belongs to the language: what it sees, and how often it may happen."""
