"""The contract suite of drivers passes a driver that keeps the contract, and finds each way to break it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import DriverError
from ensue.core.model.unknown import unknowns_in
from ensue.testing.driver_contract import DriverContract, DriverSubject

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ensue.core.contracts.driver import DriverRequest

PASSWORD = "correct-horse"


class Shelf:
    """A driver whose resources are files of any name on a shelf outside of ensue."""

    def __init__(self, shelf: Path) -> None:
        self.shelf = shelf
        shelf.mkdir()

    def count(self) -> int:
        """Return how many there are."""
        return len(list(self.shelf.iterdir()))

    async def create(self, request: DriverRequest) -> Provisioned:
        """Keep the name, then make the file."""
        name = (request.cookie or {}).get("name") or f"file-{secrets.token_hex(4)}"
        await request.services.keep({"name": name})
        return self._written(str(name), request)

    async def update(self, request: DriverRequest) -> Provisioned:
        """Write the file again where it differs."""
        return self._written(str((request.cookie or {})["name"]), request)

    async def delete(self, request: DriverRequest) -> None:
        """Remove the file."""
        if request.cookie is not None:
            (self.shelf / str(request.cookie["name"])).unlink(missing_ok=True)

    async def plan(self, request: DriverRequest) -> Planned:
        """Look at the inputs alone."""
        return Planned(comment="would write a file" if unknowns_in(request.values) else "")

    def _written(self, name: str, request: DriverRequest) -> Provisioned:
        assert isinstance(request.values, dict)
        if "text" not in request.values:
            raise DriverError("there is no text")
        path, text = self.shelf / name, str(request.values["text"])
        changed = not path.exists() or path.read_text() != text
        path.write_text(text)
        return Provisioned(values={"name": name, "text": text}, secrets={"key": PASSWORD}, changed=changed)


def subject_of(shelf: Shelf, directory: Path) -> DriverSubject:
    """Return what the suite is run against."""
    return DriverSubject(
        driver=shelf,
        directory=directory,
        inputs={"values": {"text": "a"}, "secrets": {"password": PASSWORD}},
        other_inputs={"values": {"text": "b"}},
        wrong_inputs=[{"values": {}, "secrets": {"password": PASSWORD}}],
        marks_owner=isinstance(shelf, MarkedShelf),
        count_made=shelf.count,
    )


class TestShelf(DriverContract):
    """A driver that keeps the contract passes."""

    @pytest.fixture
    def subject(self, tmp_path: Path) -> DriverSubject:
        """A shelf outside of the project."""
        (tmp_path / "project").mkdir()
        return subject_of(Shelf(tmp_path / "shelf"), tmp_path / "project")


class MarkedShelf(Shelf):
    """Derives names from the resource, and writes the store into each file."""

    async def create(self, request: DriverRequest) -> Provisioned:
        """Write the file, whether it is new or not."""
        return self._written(request.guresid, request)

    async def update(self, request: DriverRequest) -> Provisioned:
        """Write the file again where it differs."""
        return self._written(request.guresid, request)

    async def delete(self, request: DriverRequest) -> None:
        """Remove the file."""
        self._refuse_foreign(request)
        (self.shelf / request.guresid).unlink(missing_ok=True)

    async def plan(self, request: DriverRequest) -> Planned:
        """Look whether the file may be written."""
        self._refuse_foreign(request)
        return await super().plan(request)

    def _refuse_foreign(self, request: DriverRequest) -> None:
        path = self.shelf / request.guresid
        if path.exists():
            request.refuse_foreign(f"the file {path.name}", path.read_text().partition(":")[0])

    def _written(self, name: str, request: DriverRequest) -> Provisioned:
        assert isinstance(request.values, dict)
        if "text" in request.values:
            self._refuse_foreign(request)
            request = msgspec.structs.replace(
                request, values={"text": f"{request.owner}:{request.values['text']}"}
            )
        made = super()._written(name, request)
        return msgspec.structs.replace(made, values={"name": name})


class TestMarkedShelf(DriverContract):
    """A driver that marks what it makes passes."""

    @pytest.fixture
    def subject(self, tmp_path: Path) -> DriverSubject:
        """A shelf outside of the project, on which the store is looked at."""
        (tmp_path / "project").mkdir()
        return subject_of(MarkedShelf(tmp_path / "shelf"), tmp_path / "project")


class TakesOver(MarkedShelf):
    """Writes its mark and looks at none."""

    def _refuse_foreign(self, request: DriverRequest) -> None:
        pass


class RemovesAll(MarkedShelf):
    """Looks at the mark, except when it deletes."""

    async def delete(self, request: DriverRequest) -> None:
        (self.shelf / request.guresid).unlink(missing_ok=True)


class NeverTakesOver(MarkedShelf):
    """Refuses what it may take over."""

    def _refuse_foreign(self, request: DriverRequest) -> None:
        super()._refuse_foreign(msgspec.structs.replace(request, may_adopt=False))


class MakesAnew(Shelf):
    """Does not look for what it made before."""

    async def create(self, request: DriverRequest) -> Provisioned:
        name = f"file-{secrets.token_hex(4)}"
        await request.services.keep({"name": name})
        return self._written(name, request)


class KeepsLate(Shelf):
    """Keeps no cookie while it makes something, so that it cannot find it again."""

    async def create(self, request: DriverRequest) -> Provisioned:
        made = self._written(f"file-{secrets.token_hex(4)}", request)
        return Provisioned(values=made.values, secrets=made.secrets, cookie={"name": made.values["name"]})


class AlwaysChanges(Shelf):
    """Reports a change at each update."""

    async def update(self, request: DriverRequest) -> Provisioned:
        made = await super().update(request)
        return Provisioned(values=made.values, secrets=made.secrets, changed=True)


class DeletesOnce(Shelf):
    """Fails when the resource is gone."""

    async def delete(self, request: DriverRequest) -> None:
        if request.cookie is not None:
            (self.shelf / str(request.cookie["name"])).unlink()


class NeedsInputs(Shelf):
    """Looks at inputs when it deletes."""

    async def delete(self, request: DriverRequest) -> None:
        assert isinstance(request.values, dict)
        if request.values.get("text"):
            await super().delete(request)


class PlansByDoing(Shelf):
    """Makes something in a plan."""

    async def plan(self, request: DriverRequest) -> Planned:  # noqa: ARG002 -- it looks at nothing
        (self.shelf / "planned").touch()
        return Planned()


class PlansOtherOutputs(Shelf):
    """Knows outputs that are not those to come."""

    async def plan(self, request: DriverRequest) -> Planned:  # noqa: ARG002 -- it looks at nothing
        return Planned(outputs=Provisioned(values={"name": "?"}))


class FailsOnUnknown(Shelf):
    """Takes an unknown input for a text."""

    async def plan(self, request: DriverRequest) -> Planned:
        values: Any = request.values
        return Planned(comment="would write " + values["text"])


class TellsItsSecret(Shelf):
    """Has a secret among its plain outputs."""

    async def create(self, request: DriverRequest) -> Provisioned:
        made = await super().create(request)
        return Provisioned(values={**made.values, "url": f"a:{PASSWORD}@b"}, secrets=made.secrets)


class FailsWithItsSecret(Shelf):
    """Names a secret when it fails."""

    async def create(self, request: DriverRequest) -> Provisioned:
        try:
            return await super().create(request)
        except DriverError:
            raise DriverError(f"{request.secrets} does not help") from None


class ReturnsObjects(Shelf):
    """Returns what cannot be stored."""

    async def create(self, request: DriverRequest) -> Provisioned:
        made = await super().create(request)
        return Provisioned(values={**made.values, "path": self.shelf})  # type: ignore[dict-item] # pyright: ignore[reportArgumentType] # on purpose


BROKEN: list[tuple[type[Shelf], Callable[[DriverContract, DriverSubject], None]]] = [
    (MakesAnew, DriverContract.test_an_interrupted_create_makes_nothing_twice),
    (KeepsLate, DriverContract.test_an_interrupted_create_makes_nothing_twice),
    (AlwaysChanges, DriverContract.test_the_same_inputs_change_nothing),
    (DeletesOnce, DriverContract.test_removing_twice_is_no_error),
    (NeedsInputs, DriverContract.test_removing_twice_is_no_error),
    (PlansByDoing, DriverContract.test_a_plan_changes_nothing),
    (PlansOtherOutputs, DriverContract.test_a_plan_changes_nothing),
    (FailsOnUnknown, DriverContract.test_a_plan_copes_with_what_is_not_known),
    (TellsItsSecret, DriverContract.test_secrets_stay_secrets),
    (FailsWithItsSecret, DriverContract.test_a_failure_is_said),
    (ReturnsObjects, DriverContract.test_what_is_made_is_data),
    (TakesOver, DriverContract.test_what_another_store_made_is_left_alone),
    (RemovesAll, DriverContract.test_what_another_store_made_is_left_alone),
    (NeverTakesOver, DriverContract.test_what_another_store_made_is_left_alone),
]


@pytest.mark.parametrize(("broken", "test"), BROKEN)
def test_a_broken_driver_fails(
    broken: type[Shelf], test: Callable[[DriverContract, DriverSubject], None], tmp_path: Path
) -> None:
    """Each way to break the contract fails the test that is about it."""
    (tmp_path / "project").mkdir()
    subject = subject_of(broken(tmp_path / "shelf"), tmp_path / "project")
    with pytest.raises((Exception, pytest.fail.Exception)):
        test(DriverContract(), subject)
