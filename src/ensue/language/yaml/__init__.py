"""YAML as Salt reads it: text to data, with places found only when somebody has to be told."""

from ensue.language.yaml.document import YamlDocument
from ensue.language.yaml.load import load_document, load_text

__all__ = ["YamlDocument", "load_document", "load_text"]
