"""The resource graph: definitions and deployments become resources in the order of provisioning.

Pure: its input is data with documents that know its places; it has no driver, no engine and no I/O.
`definition_files`, `score_files` and `deployment_sets` read data, `building` builds the graph, and
`graph_values` evaluates the inputs of its nodes.

Source: resource graph document.
"""
