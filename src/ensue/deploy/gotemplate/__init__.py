"""Go's `text/template` with the functions of Sprig: a lexer, a parser and an evaluator.

A template is compiled once. The data it is rendered with is never read as a template. Nothing here reads
files, the environment or the network. `html/template`, methods of Go types and Go's pointers are left out.

Source: the documentation of Go's `text/template` and `fmt`, and of Sprig 3.
"""

from ensue.deploy.gotemplate.template import CompiledGoTemplate, compile_template

__all__ = ["CompiledGoTemplate", "compile_template"]
