"""The overrides of the type `dummy`, execution modules."""
