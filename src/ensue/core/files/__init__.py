"""Local files: content in chunks, private files, and checks that a file is regular."""
