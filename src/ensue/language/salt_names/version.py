"""`salt.version`: the version of Salt whose behaviour ensue follows."""

from ensue.language.salt_names import __version__
from ensue.language.salt_names.absent import not_there

__saltstack_version__ = __version__
__version_info__ = (3008, 5)

__getattr__ = not_there(__name__)
