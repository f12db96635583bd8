"""What is requested of an environment: files, their graph, and the checks before a deployment begins."""
