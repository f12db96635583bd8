"""Resolve references and slots during a run: between the language that reads them and the engine."""
