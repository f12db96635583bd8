"""The graph of a run or of a deployment as something to look at: before it runs, or what it grew into.

`drawing` is what there is to draw; `from_plan`, `from_events` and `from_resources` make one. `text`, `dot`,
`mermaid`, `data` and `svg` each write one form of it, with the colours and lines of `looks`. For an SVG the
drawing becomes a `picture` first: `run_picture` and `deployment_picture` say where everything goes.
"""
