"""The resource graph: definitions and deployments become resources in the order of provisioning.

Pure: its input is data with documents that know its places; it has no driver, no engine and no I/O.
`definition_files`, `score_files` and `deployment_sets` read data, `building` builds the graph, and
`graph_values` evaluates the inputs of its nodes.

Source: resource graph document.
"""

from ensue.deploy.provisioning.building import build_graph
from ensue.deploy.provisioning.definition_files import read_definition
from ensue.deploy.provisioning.graph_values import EvaluatedNode, GraphValues
from ensue.deploy.provisioning.identity import Context, Descriptor, Key, parse_descriptor
from ensue.deploy.provisioning.matching import Candidate, Catalog
from ensue.deploy.provisioning.nodes import Dependency, Node, ResourceGraph
from ensue.deploy.provisioning.workloads import Deployment, Workload

__all__ = [
    "Candidate",
    "Catalog",
    "Context",
    "Dependency",
    "Deployment",
    "Descriptor",
    "EvaluatedNode",
    "GraphValues",
    "Key",
    "Node",
    "ResourceGraph",
    "Workload",
    "build_graph",
    "parse_descriptor",
    "read_definition",
]
