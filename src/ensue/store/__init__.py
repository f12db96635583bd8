"""What outlives a run: registry, enforced and active states, secret stores, and what is kept of runs.

- `store.registry`: resources, their records and locks, in SQLite or PostgreSQL, encrypted.
- `store.secret_stores`: secrets that are kept elsewhere.
- `store.runs`: lock, journal, history, and what a resumed run needs.

Nothing here runs a state or reads SLS.
"""
