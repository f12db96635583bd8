"""The nouns of ensue as frozen values: names, chunks, requisites, returns, events. No I/O."""
