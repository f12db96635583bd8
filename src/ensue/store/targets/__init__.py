"""The targets of a project, registered, declared or discovered, with their grains and connections."""
