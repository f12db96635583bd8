"""What the removal of a resource does with what was made for it, in words and as an outcome.

Nothing here calls a driver to remove anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.model.first_names import first_names
from ensue.deploy.provisioning.records import is_there, records_of
from ensue.deploy.provisioning.surroundings import ProvisioningOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.surroundings import ProvisioningDriver

_MOST_NAMED: Final = 10
"""How many objects a plan names that a removal destroys."""
_NEVER_MADE: Final = "forgotten: nothing was ever made for it"


class Removals:
    """Tells what removals do.

    Args:
        driver: returns a driver by the name that a record has for it.
    """

    def __init__(self, driver: Callable[[str], ProvisioningDriver]) -> None:
        self._driver = driver

    def planned(self, whole: ActiveResource) -> ProvisioningOutcome:
        """Return the outcome of a removal in a plan."""
        if not self.may_be_made(whole):
            comment = f"{whole.key} would be {_NEVER_MADE}"
            return ProvisioningOutcome("planned", comment, old=whole, action="forget")
        if stays := self.stays(whole):
            comment = f"{whole.key} would be left as it is, and forgotten ({stays})"
            return ProvisioningOutcome("planned", comment, old=whole, action="forget")
        comment = f"{whole.key} would be destroyed{self._objects_of(whole)}"
        return ProvisioningOutcome("planned", comment, old=whole, action="destroy")

    def outcome(self, whole: ActiveResource) -> ProvisioningOutcome:
        """Return the outcome of a removal that succeeds."""
        if not self.may_be_made(whole):
            return ProvisioningOutcome("forgotten", f"{whole.key} was {_NEVER_MADE}", old=whole)
        if stays := self.stays(whole):
            comment = f"{whole.key} was left as it is, and forgotten ({stays})"
            return ProvisioningOutcome("retained", comment, old=whole)
        return ProvisioningOutcome("destroyed", f"{whole.key} was destroyed", old=whole)

    def stays(self, record: ActiveResource) -> str:
        """Return why a removal leaves what was made; empty: it destroys it.

        Args:
            record: the record of the resource.
        """
        if record.is_retained:
            return "`retain`"
        is_left = self._driver(record.driver).leaves(record.cookie)
        return f"its definition {record.definition} has no `delete`" if is_left else ""

    def may_be_made(self, whole: ActiveResource) -> bool:
        """Return whether anything may have been made for a resource, or by what is beside it."""
        return any(map(self.was_begun, records_of(whole)))

    def was_begun(self, record: ActiveResource) -> bool:
        """Return whether the driver of one record may have made anything."""
        has_kept = is_there(record) or record.cookie is not None
        return has_kept or not self._driver(record.driver).keeps_first

    def _objects_of(self, whole: ActiveResource) -> str:
        """Return what the removal of a resource destroys, after a colon; empty: it is not known."""
        names: dict[str, None] = {}
        for record in records_of(whole):
            driver = self._driver(record.driver)
            objects = () if driver.is_pure or record.is_retained else driver.destroys(record.cookie)
            names.update((each.name, None) for each in objects)
        return f": {first_names(list(names), _MOST_NAMED)}" if names else ""
