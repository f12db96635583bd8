"""From SLS text to chunks: renderers, YAML, high data, includes, top file, pillar, requisites.

Nothing here runs a state or opens a connection.
"""
