"""The renderer `pyobjects`: a Python file whose calls (`File.managed(…)`) declare states.

`declaring` notes what a file declares, `maps` has the class `Map`, `imports` reads its lines
`from salt://… import`, `places` says where a declaration is written. The stage that uses them is
`renderers.pyobjects_stage`.

Source: Salt's renderer `pyobjects`, 3008.
"""
