"""The composition root: the only place that wires plug-ins, language, registry and engine together."""
