"""`salt.utils.validate`: validation of values."""

from ensue.language.salt_names.absent import not_there

__getattr__ = not_there(__name__)
