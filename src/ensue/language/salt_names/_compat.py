"""`salt._compat`: modules of the standard library that used to have several names."""

import ipaddress
import subprocess
from xml.etree import ElementTree  # noqa: ICN001 -- the name is Salt's

from ensue.language.salt_names.absent import not_there

__all__ = ["ElementTree", "ipaddress", "subprocess"]

__getattr__ = not_there(__name__)
