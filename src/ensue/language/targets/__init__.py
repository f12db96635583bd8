"""The targets of a project: what is known of each, its pillar, and what an expression matches."""
