"""`salt.utils.decorators.path`: decorators for functions that require a program."""

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.utils.decorators import which

__all__ = ["which"]

__getattr__ = not_there(__name__)
