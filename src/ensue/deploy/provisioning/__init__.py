"""The resource graph: definitions and deployments become resources in the order of provisioning.

Pure: its input is data with documents that know its places; it has no driver, no engine and no I/O.
`definition_files`, `score_files` and `deployment_sets` read data, `building` builds the graph, and
`graph_values` evaluates the inputs of its nodes.

Source: resource graph document.
"""

from ensue.deploy.provisioning.building import build_graph
from ensue.deploy.provisioning.definition_files import read_definition
from ensue.deploy.provisioning.evaluated_node import EvaluatedNode
from ensue.deploy.provisioning.graph_values import GraphValues
from ensue.deploy.provisioning.identity import Context, Descriptor, ResourceKey, parse_descriptor
from ensue.deploy.provisioning.matching import Catalog, DefinitionCandidate
from ensue.deploy.provisioning.nodes import Dependency, GraphNode, ResourceGraph
from ensue.deploy.provisioning.workloads import Deployment, Workload

__all__ = [
    "Catalog", "Context", "DefinitionCandidate", "Dependency", "Deployment", "Descriptor", "EvaluatedNode",
    "GraphNode", "GraphValues", "ResourceGraph", "ResourceKey", "Workload", "build_graph",
    "parse_descriptor", "read_definition",
]  # fmt: skip
