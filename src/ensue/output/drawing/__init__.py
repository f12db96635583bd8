"""Drawings of the graph of a run or of a deployment, before it or after it.

`drawing` has the data of a drawing; `from_plan`, `from_events` and `from_resources` make one. `text`, `dot`,
`mermaid`, `data` and `svg` each write one form of it, with the colours and lines of `looks`. For an SVG the
drawing becomes a `picture` first: `run_picture` and `deployment_picture` say where everything goes.
"""
