"""`salt.serializers`: data as text, one module per format."""

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.client_error import SaltException


class DeserializationError(SaltException, ValueError):
    """A text is not in the expected format."""


class SerializationError(SaltException, ValueError):
    """Data cannot be written in this format."""


__getattr__ = not_there(__name__)
