"""The renderer `stateconf`: IDs that belong to their SLS, and values that one SLS sets for another.

`options` reads the options after its name. `names` makes full names of names that begin with a dot.
`rewriting` does so in the data of an SLS, and adds the states and requisites of the options. `values` stores
the values of `stateconf.set`. The stage that uses them is `renderers.stateconf_stage`.

Source: Salt's renderer `stateconf`, 3008.
"""
