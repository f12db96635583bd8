"""Running a plan that may grow: scheduler, requisites, retries, growth, and how a run ends.

Knows nothing of SLS, YAML, templates, sockets or resource types: growth comes through an injected
`Expander`, functions and contexts through injected services.

Doors:
- `engine.services`: what a run gets from outside, and the call of a state.
- `engine.plans`: what joins a run.
- `engine.binding`: what references and slots come to.
- `engine.graph`: directed graphs, their order and cycles.
- `engine.promise`, `engine.returns`, `engine.outcome`, `engine.adoption`: what calls and runs result in.
"""
