"""Running a plan that may grow: scheduler, requisites, retries, growth, and how a run ends.

Knows nothing of SLS, YAML, templates, sockets or resource types: growth comes through an injected
`Expander`, functions and contexts through injected services (see `services.py`).
"""
