"""The resource graph: from Score files and definitions to resources that drivers provision.

- `deploy.provisioning`: deployment sets, definitions, the graph, and one resource's way to its driver.
- `deploy.drivers`: the drivers that ensue ships.
- `deploy.gotemplate`: Go templates, with Sprig.
- `deploy.kubernetes`: access to a cluster.

The engine runs what is provisioned here: a resource is a state (`provisioning.lowering`).
"""
