"""The basic values of ensue, frozen: names, chunks, requisites, returns, events. No I/O."""
