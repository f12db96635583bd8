"""From SLS text to plans: renderers, YAML, high data, includes, top file, pillar, requisites, targets.

Nothing here runs a state. Only `language.targets.directory` opens connections, through `reach`.

Doors:
- `language.collector`: collects diagnostics.
- `language.yaml`: YAML with places.
- `language.settings`: `ensue.yaml`, roots, environments.
- `language.functions`: state and execution functions by name.
- `language.targets`, `language.targeting`: targets, their pillar, calls; expressions.
- `language.plans`: the plans of a run, and its growth.
- `language.references`, `language.requisite_names`, `language.tree`: what SLS refers to.
- `language.renderers`: the stages of a pipe.
- `language.hcl_words`: words of Terraform.
"""
