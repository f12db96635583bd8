"""Loads YAML, with errors as Diagnostics."""

from __future__ import annotations

from typing import Any

from ensue.language.yaml.document import YamlDocument


def load_text(text: str, path: str = "<text>") -> Any:
    """Return the data of YAML text that is not a separate file.

    Raises:
        CompileError: it is not YAML.
    """
    return load_document(YamlDocument(path, text))


def load_document(document: YamlDocument) -> Any:
    """Return a document's data.

    Raises:
        CompileError: it is not YAML, is beyond a bound, or a mapping has one key twice; with the place.
    """
    # Loaded here: many commands read no YAML.
    from ensue.language.yaml import full
    from ensue.language.yaml.faults import faults_of

    with faults_of(document):
        return full.load(document.text)
