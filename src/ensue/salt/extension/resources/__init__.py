"""Resource types for Salt Resources; each folder has the execution modules of its type."""
