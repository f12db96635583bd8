"""What references and slots come to during a run: between the language that reads them and the engine."""
