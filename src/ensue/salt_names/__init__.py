"""The names of `salt` that a project's own files import, for use where Salt is not installed.

`importing` gives them to those files and to nothing else: no module is called `salt` for the rest of the
process. Each module here stands for the one of Salt that has its name, and has those of its functions that
public custom modules use. They act on this machine, as plain functions of a project do. What is not here is
an error that names the extra `ensue[salt]`.

Source: the documentation and the behaviour of Salt 3008.5, and of 2017.7 for names that are gone since.
"""

from ensue.salt_names.absent import not_there

__version__ = "3008.5"

__getattr__ = not_there(__name__)
