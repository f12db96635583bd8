"""The overrides of the type `dummy`, state modules."""
