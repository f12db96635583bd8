"""What outlives a run: registry, enforced and active states, secret stores, and what is kept of runs.

Nothing here runs a state or reads SLS.

Doors:
- `store.registry`: resources, their records and locks, in SQLite or PostgreSQL, encrypted.
- `store.runs`: lock, journal, history, and what a resumed run needs.
- `store.stores`: opens all of them.

`store.secret_stores` reads secrets that are kept elsewhere.
"""
