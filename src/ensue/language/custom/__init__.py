"""The code in a project's `_modules`, `_states`, `_utils`, `_grains`, `_pillar` and `_renderers`.

It is loaded as Salt loads it.
"""
