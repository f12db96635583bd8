"""The secret stores of a project: reading the secrets that definitions refer to."""
