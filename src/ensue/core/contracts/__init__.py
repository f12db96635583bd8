"""The Protocols of every plug-in and service: what the engine and plug-ins expect of each other."""
