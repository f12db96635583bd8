"""Replacements for the modules of `salt` that a project's files import, for use without Salt installed.

`importing` provides them to those files only: no module is called `salt` for the rest of the process. Each
module here replaces Salt's module of that name, with the functions that public custom modules use. They act
on this machine, as plain functions of a project do. Importing anything else is an error that names the extra
`ensue[salt]`.

Source: the documentation and the behaviour of Salt 3008.5, and of 2017.7 for names that were removed since.
"""

from ensue.language.salt_names.absent import not_there

__version__ = "3008.5"

__getattr__ = not_there(__name__)
