"""The resource graph: definitions and what is to be deployed come to resources in their order.

Pure: data that was read elsewhere comes in, with documents that know its places; no driver, no engine and no
I/O is here. `definition_files`, `score_files` and `deployment_sets` read, `building` builds, `planned`
says what is known of the inputs before anything is provisioned.

Source: resource graph document.
"""

from ensue.provisioning.building import build_graph
from ensue.provisioning.definition_files import read_definition
from ensue.provisioning.graph_values import EvaluatedNode, GraphValues
from ensue.provisioning.identity import Context, Descriptor, Key, parse_descriptor
from ensue.provisioning.matching import Candidate, Catalog
from ensue.provisioning.nodes import Dependency, Node, ResourceGraph
from ensue.provisioning.workloads import Deployment, Workload

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
