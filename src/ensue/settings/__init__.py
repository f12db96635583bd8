"""A project's options: what each may be, and what is read of `ensue.yaml`."""
