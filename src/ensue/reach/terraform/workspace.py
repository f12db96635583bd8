"""Plans, applies and destroys one configuration, with its stored data.

Source: Terraform CLI, `init`, `plan -detailed-exitcode -out`, `apply`, `output -json`; OpenTofu has the same.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.sensitive_paths import scalar_texts
from ensue.reach.terraform.binary import Ended, find_binary, in_memory, run_binary
from ensue.reach.terraform.declared_variables import undeclared
from ensue.reach.terraform.messages import Messages, end_of, in_order, read_messages
from ensue.reach.terraform.stored_state import (
    KeptFolder,
    Output,
    StoredConfiguration,
    lineage_in,
    resources_in,
)
from ensue.reach.terraform.variables import variables_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ensue.core.contracts.vault import Vault
    from ensue.core.masking import Masker
    from ensue.core.model.data import Data, DataMap

_HAS_CHANGES: Final = 2
_LOG_LINES: Final = 50
_PLAN: Final = ("plan", "-input=false", "-json", "-detailed-exitcode")
_APPLY: Final = ("apply", "-input=false", "-json", "-backup=-")
_VARIABLES: Final = "-var-file=/dev/stdin"


class TerraformPlanResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a plan.

    Args:
        changes: action by address (`terraform_data.x: create`, `output.address: update`).
        outputs: the current outputs; None until an apply has made everything.
        is_recorded: whether an apply has recorded these outputs.
        destroyed: the addresses of what an apply would destroy or replace, except what an earlier apply has
            begun to make and did not finish.
        warnings: terraform's warnings.
        undeclared: what is wrong with variables that the configuration does not declare, by name.
    """

    changes: dict[str, str]
    outputs: dict[str, Output] | None
    is_recorded: bool = True
    destroyed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    undeclared: dict[str, str] = {}


class TerraformApplyResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an apply.

    Args:
        changes: action by address.
        outputs: the current outputs.
        errors: why it failed; empty if it succeeded. Changes before the error remain.
        log: the end of terraform's output, without known secrets.
        has_own_state: whether ensue stores the state, not a backend of the configuration.
        resources: what the state has, by address: the provider of each, as the state names it.
        lineage: the id of the state, wherever it is stored; empty if the apply failed.
        warnings: terraform's warnings.
        undeclared: what is wrong with variables that the configuration does not declare, by name.
    """

    changes: dict[str, str]
    outputs: dict[str, Output]
    errors: str = ""
    log: str = ""
    has_own_state: bool = False
    resources: dict[str, str] = {}
    lineage: str = ""
    warnings: tuple[str, ...] = ()
    undeclared: dict[str, str] = {}


class Workspace(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration and the folder for its stored data.

    Args:
        name: its name in messages, and the encryption context of its state.
        directory: its folder below the cachedir, created on demand.
        vault: encrypts the stored data.
        masker: receives the sensitive outputs.
        source: the folder of the configuration; empty for that of the last run.
        variables: the values of its variables; None for those of the last run.
        environment: environment variables for the binary, such as credentials of providers.
        binary: the name or path of the binary; empty for `terraform`, else `tofu`.
    """

    name: str
    directory: Path
    vault: Vault
    masker: Masker
    source: str = ""
    variables: Mapping[str, Data] | None = None
    environment: Mapping[str, str] = {}
    binary: str = ""

    def outputs(self) -> dict[str, Output] | None:
        """Return the outputs of the last run without running anything; None if no run succeeded.

        Raises:
            StoreError: the outputs cannot be decrypted.
        """
        kept = self._kept()
        return kept.outputs if kept is not None and kept.is_whole else None

    async def plan(self, *, destroy: bool = False) -> TerraformPlanResult:
        """Return what an apply would do; changes nothing but terraform's caches.

        Args:
            destroy: whether the apply would destroy all of it.

        Raises:
            StateFailedError: the plan fails.
            StoreError: the stored data cannot be decrypted.
        """
        with self._folder.locked(), self._folder.backend_laid_out():
            kept, workplace = await self._prepared()
            try:
                messages, has_changes = await self._plan(workplace, destroy=destroy)
                outputs = kept.outputs if kept and kept.is_whole else None
                if outputs is None and not has_changes and self._folder.is_begun():
                    # An apply was killed after the last change and before it recorded the outputs.
                    outputs = await self._read_outputs(workplace)
            finally:
                await asyncio.shield(asyncio.to_thread(self._take_back_state, kept, workplace))
            changes = messages.planned if has_changes else {}
            if outputs is not None:
                unchanged = {
                    name: is_sensitive
                    for name, is_sensitive in messages.declared.items()
                    if f"output.{name}" not in messages.planned
                }
                outputs = _with_nulls(outputs, unchanged)
            return TerraformPlanResult(
                changes=changes,
                outputs=outputs,
                is_recorded=kept is not None and kept.is_whole,
                destroyed=messages.destroyed,
                warnings=self._warnings(messages),
                undeclared=await workplace.undeclared(),
            )

    async def resources(self) -> dict[str, str]:
        """Return what the state has, by address: the provider of each, as the state names it.

        Terraform runs only if the state is elsewhere, in a backend of the configuration. A configuration that
        terraform has never begun to apply has made nothing.

        Raises:
            StateFailedError: the state cannot be read.
            StoreError: the stored data cannot be decrypted.
        """
        with self._folder.locked(), self._folder.backend_laid_out():
            kept = await asyncio.to_thread(self._kept)
            if kept is not None and kept.state and not self._folder.written_state():
                return resources_in(kept.state)
            if kept is None and not self._folder.is_begun():
                return {}
            kept, workplace = await self._prepared()
            try:
                return resources_in(await self._state(workplace))
            finally:
                await asyncio.shield(asyncio.to_thread(self._take_back_state, kept, workplace))

    async def apply(
        self,
        *,
        destroy: bool = False,
        targets: Iterable[str] = (),
        approve: Callable[[Sequence[str]], None] | None = None,
    ) -> TerraformApplyResult:
        """Apply the configuration, or destroy all of it.

        Args:
            destroy: whether to destroy.
            targets: the addresses of what is applied or destroyed; none: all.
            approve: called with the addresses of what the apply destroys; raises an exception if that is not
                allowed, and nothing is changed then. What it has approved is applied, and nothing else.

        Raises:
            StateFailedError: it cannot start.
            StoreError: the stored data cannot be decrypted.
        """
        with self._folder.locked(), self._folder.backend_laid_out(), in_memory("plan") as plan:
            kept, workplace = await self._prepared()
            given = [_VARIABLES, "-auto-approve", *(("-destroy",) if destroy else ())]
            given += [f"-target={address}" for address in targets]
            declared: dict[str, bool] = {}
            actions: dict[str, str] = {}
            warnings: tuple[str, ...] = ()
            if approve is not None:
                planned = await self._approved(kept, workplace, plan, approve)
                # The apply of a saved plan does not list the outputs again.
                declared, actions, warnings = planned.declared, planned.planned, self._warnings(planned)
                given = [*([_VARIABLES] if planned.takes_variables else []), _path_of(plan)]
            outputs = kept.outputs if kept else {}
            state = ""
            is_whole = False
            try:
                files = [] if approve is None else [plan.fileno()]
                ended = await workplace.run(*_APPLY, self._state_option, *given, files=files)
                messages = read_messages(ended.stdout)
                if not ended.code:
                    outputs = _with_nulls(await self._read_outputs(workplace), declared | messages.declared)
                    state = await self._state(workplace)
                    is_whole = True
            finally:
                new = workplace.kept(outputs, self._folder.written_state(), is_whole=is_whole)
                await asyncio.shield(asyncio.to_thread(self._folder.keep, new))
            errors = self._why("destroy" if destroy else "apply", ended, messages) if ended.code else ""
            return TerraformApplyResult(
                changes=_done(messages.done, actions | messages.planned, is_whole=is_whole),
                outputs=outputs,
                errors=errors,
                log=self.masker.text("\n".join(messages.log[-_LOG_LINES:])),
                has_own_state=bool(new.state),
                resources=resources_in(state),
                lineage=lineage_in(state),
                warnings=tuple(dict.fromkeys((*warnings, *self._warnings(messages)))),
                undeclared={} if destroy else await workplace.undeclared(),
            )

    def forget(self) -> None:
        """Remove all stored data; only after a destroy."""
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def _folder(self) -> KeptFolder:
        return KeptFolder(path=self.directory, vault=self.vault, context=self.name)

    @property
    def _state_option(self) -> str:
        return f"-state={self._folder.state_path.absolute()}"

    def _kept(self) -> StoredConfiguration | None:
        kept = self._folder.load()
        if kept is not None:
            self._mask(kept.outputs)
        return kept

    async def _prepared(self) -> tuple[StoredConfiguration | None, _Workplace]:
        kept = await asyncio.to_thread(self._kept)
        workplace = await asyncio.to_thread(self._workplace, kept)
        ended = await workplace.run("init", "-input=false", "-no-color")
        if ended.code:
            reason = self.masker.text(end_of(ended.stderr) or end_of(ended.stdout))
            raise StateFailedError(f"{self.name}: terraform init failed: {reason}")
        await asyncio.to_thread(self._folder.lay_out_state, kept)
        return kept, workplace

    def _workplace(self, kept: StoredConfiguration | None) -> _Workplace:
        source = self.source or (kept.source if kept else "")
        if not source:
            raise StateFailedError("`source` is missing: the folder of the configuration")
        if not Path(source).is_dir():
            raise StateFailedError(
                f"{self.name}: there is no folder {source} with the configuration; terraform needs it to "
                "change or destroy what it has made (bring the folder back until that is done)"
            )
        variables = self.variables if self.variables is not None else (kept.variables if kept else {})
        data = {"TF_DATA_DIR": str(self._folder.data_path.absolute())}
        return _Workplace(
            binary=find_binary(self.binary),
            source=source,
            variables=dict(variables),
            environment={**self.environment, **data},
        )

    def _take_back_state(self, kept: StoredConfiguration | None, workplace: _Workplace) -> None:
        state = self._folder.written_state()
        if kept is not None and state == kept.state:
            self._folder.state_path.unlink(missing_ok=True)
        elif state:
            former = kept or workplace.kept({}, "", is_whole=False)
            self._folder.keep(msgspec.structs.replace(former, state=state))

    async def _plan(
        self, workplace: _Workplace, file: BinaryIO | None = None, *, destroy: bool = False
    ) -> tuple[Messages, bool]:
        """Let terraform plan, into a file if one is given; return messages, and whether it has changes."""
        out = ["-destroy"] if destroy else []
        out += [] if file is None else [f"-out={_path_of(file)}"]
        files = [] if file is None else [file.fileno()]
        ended = await workplace.run(*_PLAN, self._state_option, _VARIABLES, *out, files=files)
        messages = read_messages(ended.stdout)
        if ended.code not in {0, _HAS_CHANGES}:
            raise StateFailedError(self._why("plan", ended, messages))
        return messages, bool(ended.code)

    async def _approved(
        self,
        kept: StoredConfiguration | None,
        workplace: _Workplace,
        plan: BinaryIO,
        approve: Callable[[Sequence[str]], None],
    ) -> Messages:
        """Return the messages of a plan that is approved; the apply does what it says."""
        try:
            messages, _ = await self._plan(workplace, plan)
            approve(messages.destroyed)
        except BaseException:
            await asyncio.shield(asyncio.to_thread(self._take_back_state, kept, workplace))
            raise
        return messages

    async def _state(self, workplace: _Workplace) -> str:
        state = self._folder.written_state()
        if not state:
            ended = await workplace.run("state", "pull")
            if ended.code:
                reason = self.masker.text(end_of(ended.stderr))
                raise StateFailedError(f"{self.name}: terraform state pull failed: {reason}")
            state = ended.stdout.decode()
        return state

    async def _read_outputs(self, workplace: _Workplace) -> dict[str, Output]:
        ended = await workplace.run("output", "-json", "-no-color", self._state_option)
        if ended.code:
            reason = self.masker.text(end_of(ended.stderr))
            raise StateFailedError(f"{self.name}: terraform output failed: {reason}")
        outputs = msgspec.json.decode(ended.stdout, type=dict[str, Output])
        self._mask(outputs)
        return outputs

    def _mask(self, outputs: Mapping[str, Output]) -> None:
        for output in outputs.values():
            if output.sensitive:
                self.masker.add(*scalar_texts(output.value))

    def _warnings(self, messages: Messages) -> tuple[str, ...]:
        return tuple(map(self.masker.text, messages.warnings))

    def _why(self, what: str, ended: Ended, messages: Messages) -> str:
        reasons = "\n".join(messages.errors) or end_of(ended.stderr) or f"exit code {ended.code}"
        return self.masker.text(f"{self.name}: terraform {what} failed: {reasons}")


class _Workplace(msgspec.Struct, frozen=True, kw_only=True):
    """The context that the commands of one run share."""

    binary: str
    source: str
    variables: DataMap
    environment: Mapping[str, str]

    async def run(self, *arguments: str, files: Sequence[int] = ()) -> Ended:
        stdin = variables_file(self.variables) if _VARIABLES in arguments else b""
        return await run_binary(
            (self.binary, *arguments), variables=self.environment, cwd=self.source, stdin=stdin, files=files
        )

    async def undeclared(self) -> dict[str, str]:
        return await asyncio.to_thread(undeclared, self.variables, self.source)

    def kept(self, outputs: dict[str, Output], state: str, *, is_whole: bool) -> StoredConfiguration:
        return StoredConfiguration(
            source=self.source, variables=self.variables, outputs=outputs, state=state, is_whole=is_whole
        )


def _path_of(file: BinaryIO) -> str:
    """Return the path of a file in memory for a process that inherits it."""
    return f"/proc/self/fd/{file.fileno()}"


def _with_nulls(outputs: Mapping[str, Output], declared: Mapping[str, bool]) -> dict[str, Output]:
    """Return outputs with those that are declared and null, which terraform leaves out."""
    nulls = {name: Output(value=None, sensitive=is_sensitive) for name, is_sensitive in declared.items()}
    return {**nulls, **outputs}


def _done(completed: Mapping[str, str], planned: Mapping[str, str], *, is_whole: bool) -> dict[str, str]:
    """Return the completed actions in the plan's terms; terraform reports a replacement as two actions.

    Args:
        completed: action by address, as the apply reports it.
        planned: action by address, of the plan, which alone has the outputs, and what only the state shows: a
            resource that is moved, imported, or removed from it.
        is_whole: whether all of the plan was carried out.
    """
    done = {address: planned.get(address, action) for address, action in completed.items()}
    return in_order({**done, **planned} if is_whole else done)
