"""The Protocols of every plug-in and service: what the engine and the plug-ins may expect of each other."""
