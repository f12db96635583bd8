"""What a project's `_modules`, `_states`, `_utils`, `_grains`, `_pillar` and `_renderers` hold.

It is loaded as Salt loads it.
"""
