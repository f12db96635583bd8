"""Derived resources: the in-run registry, the cross-run store, its encryption and its audit log.

Nothing here imports SQLAlchemy or cryptography before a store is really opened.
"""
