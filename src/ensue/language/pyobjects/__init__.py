"""The renderer `pyobjects`: a Python file whose calls (`File.managed(…)`) declare states.

`declaring` records what a file declares, `maps` has the class `Map`, `imports` reads the lines
`from salt://… import`, and `places` finds where a declaration is written. The stage that uses them is
`renderers.pyobjects_stage`.

Source: Salt's renderer `pyobjects`, 3008.
"""
