"""`salt.serializers`: data as text, one module a form."""

from ensue.salt_names.absent import not_there
from ensue.salt_names.client_error import SaltException


class DeserializationError(SaltException, ValueError):
    """A text is not in its form."""


class SerializationError(SaltException, ValueError):
    """Data has no such form."""


__getattr__ = not_there(__name__)
