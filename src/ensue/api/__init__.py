"""What `import ensue` offers to a program: projects, runs and their results, secrets masked.

The names are public as `ensue.Project`, `ensue.apply` and so on; where they are defined is not.
"""
