"""YAML as Salt reads it: text to data; places are found only when a message needs them."""

from ensue.language.yaml.document import TextDocument, YamlDocument
from ensue.language.yaml.load import load_document, load_text

__all__ = ["TextDocument", "YamlDocument", "load_document", "load_text"]
