"""A project's options: their valid values, and reading them from `ensue.yaml`."""
