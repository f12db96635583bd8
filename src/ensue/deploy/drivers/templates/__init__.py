"""The shared part of the template drivers, and the two languages of templates.

`steps` provisions, `inputs` reads a definition's inputs, `language` is the interface of a language, `jinja`
and `go` are the two languages, and `rendered` parses the rendered text as YAML.
"""
