"""Provisions with templates: they are rendered in a fixed order, and each sees the results of earlier ones.

| template | sees | gives |
| --- | --- | --- |
| all | `driver.values`, `driver.secrets`, `resource`, `id`, `cookie` (of the last time) | |
| `init` | | `init` of all that follow |
| `cookie` | `init` | `cookie` of the next time |
| `outputs` | `init` | plain outputs, `outputs.values` of those that follow |
| `secrets` | `init`, `outputs.values` | secret outputs |
| `manifests` | `init`, `outputs.values`, `outputs.secrets` | manifests |

Rendering has no side effects. Because it may use random values, it is not a pure function of the inputs:
lasting values go through the cookie, and a plan knows the outputs only if nothing random was used.

Source: Humanitec, "Template driver"; published definitions for it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import DriverError, DriverTemplateError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.secret_marks import Secret, marked_at, marked_paths, plain, secret_leaves
from ensue.core.model.sensitive_paths import at, scalar_texts
from ensue.core.model.unknown import unknowns_in
from ensue.deploy.drivers.templates.guards import Guards
from ensue.deploy.drivers.templates.inputs import below, templates_of
from ensue.deploy.drivers.templates.insertions import with_insertions
from ensue.deploy.drivers.templates.language import Chance
from ensue.deploy.drivers.templates.rendered import InnerText, read_rendered

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.contracts.driver import DriverRequest, InputPath
    from ensue.core.model.data import DataMap
    from ensue.deploy.drivers.templates.language import TemplateLanguage

LOCATIONS: Final = ("namespace", "cluster", "volumes", "containers")
"""Where a manifest belongs: into the namespace, the cluster, or the pod of the workload."""


async def provisioned(request: DriverRequest, language: TemplateLanguage) -> Provisioned:
    """Render the templates of a resource.

    Args:
        request: the resource.
        language: the language of the templates.

    Raises:
        DriverError: a template fails, or its text is not what is expected there.
    """
    # A template may generate a key pair, which takes seconds.
    return (await asyncio.to_thread(_rendered, request, language))[0]


async def planned(request: DriverRequest, language: TemplateLanguage) -> Planned:
    """Return what the templates of a resource would render to.

    Args:
        request: the resource; inputs that are not known yet are `Unknown`.
        language: the language of the templates.

    Raises:
        DriverError: a template fails, or its text is not what is expected there.
    """
    if unknowns_in([request.values, request.secrets, request.params]):
        return Planned(comment="what the templates render to is known after apply")
    outcome, chance = await asyncio.to_thread(_rendered, request, language)
    if chance.was_asked:
        return Planned(comment="the templates render values that are random or depend on the time")
    return Planned(
        comment=outcome.comment,
        would_change=bool(outcome.changed),
        outputs=msgspec.structs.replace(outcome, cookie=None),
    )


def _rendered(request: DriverRequest, language: TemplateLanguage) -> tuple[Provisioned, Chance]:
    masker = request.services.masker
    masker.add_values(*scalar_texts(request.secrets))
    chance = Chance()
    try:
        return _Rendering(request, language, chance).outcome(), chance
    except DriverError as error:
        raise DriverTemplateError(masker.within(str(error))) from None


class _Rendering:
    """The templates of one resource, rendered once."""

    def __init__(self, request: DriverRequest, language: TemplateLanguage, chance: Chance) -> None:
        request = _with_marks(request)
        self._request = request
        self._guards = Guards()
        self._templates = templates_of(request)
        self._masker = request.services.masker
        self._language = language
        self._chance = chance
        self._kept: DataMap = request.cookie or {}
        self._data = _data_of(request, self._kept)
        self._tracks_secrets = bool(request.secrets or request.sensitive or self._kept.get("sensitive"))

    def outcome(self) -> Provisioned:
        """Return what the templates render to."""
        if "init" in self._templates.parts:
            self._data["init"] = self._part("init")
        cookie = self._part("cookie")
        values = self._outputs("outputs")
        self._data["outputs"] = {"values": values}
        secrets = self._outputs("secrets")
        if self._templates.secret_outputs is not None:
            name = "secrets.templates.outputs"
            place = _Place(name, ("secrets", "templates", "outputs"))
            rendered = self._evaluated(self._templates.secret_outputs, place)
            secrets = {**secrets, **_mapping(rendered, name, "secret outputs")}
        self._data["outputs"] = {"values": values, "secrets": secret_leaves(secrets)}
        self._tracks_secrets = self._tracks_secrets or bool(secrets)
        return self._provisioned({"values": values, "manifests": self._manifests()}, secrets, cookie)

    def _provisioned(self, open_: dict[str, DataMap], secrets: DataMap, cookie: Any) -> Provisioned:
        """Return the result; what is marked in the values, manifests and the cookie is listed by its path."""
        marked: tuple[InputPath, ...] = ()
        of_cookie: tuple[InputPath, ...] = ()
        if self._tracks_secrets:
            marked, of_cookie = tuple(marked_paths(open_)), tuple(marked_paths(cookie))
            open_, secrets, cookie = plain(open_), plain(secrets), plain(cookie)
            self._masker.add_values(*scalar_texts([secrets, *(at(open_, path) for path in marked)]))
        values, manifests = open_["values"], open_["manifests"]
        digest = _digest([values, secrets, cookie, manifests])
        return Provisioned(
            values=values,
            secrets=secrets,
            cookie=self._cookie(cookie, digest, of_cookie),
            manifests=manifests,
            changed=digest != self._kept.get("rendered"),
            comment=_comment(values, secrets, manifests),
            sensitive=marked,
        )

    @staticmethod
    def _cookie(cookie: Any, digest: str, secret_paths: Iterable[InputPath]) -> DataMap:
        """Return what is kept for the next time; it says what is secret in the cookie of the template."""
        kept: DataMap = {"cookie": cookie, "rendered": digest}
        if paths := [list(path) for path in secret_paths]:
            kept["sensitive"] = paths  # type: ignore[assignment] # lists of texts and numbers
        return kept

    def _outputs(self, part: str) -> DataMap:
        return _mapping(self._part(part), f"templates.{part}", "outputs")

    def _part(self, part: str, inner_levels: int = 0) -> Any:
        place = _Place(f"templates.{part}", ("values", "templates", part), inner_levels)
        return self._evaluated(self._templates.parts.get(part), place)

    def _evaluated(self, given: Any, place: _Place) -> Any:
        """Return what a template, or each text of a mapping of them, renders to."""
        if isinstance(given, str):
            return self._rendered(given, place)
        if is_mapping(given):
            return {key: self._evaluated(value, place.below(key)) for key, value in given.items()}
        if is_list(given):
            return [self._evaluated(value, place.below(index)) for index, value in enumerate(given)]
        return given

    def _rendered(self, text: str, place: _Place) -> Any:
        if parts := self._request.foreign_parts(place.path):
            text = with_insertions(text, parts, place.name, self._language, self._guards)
        template = self._language.compiled(text, place.name, tracks_secrets=self._tracks_secrets)
        rendered = template.render(self._data, self._chance, self._guards)
        return read_rendered(rendered, place.name, self._guards, inner_levels=place.inner_levels)

    def _manifests(self) -> DataMap:
        name = "templates.manifests"
        rendered = self._part("manifests", inner_levels=2)
        if is_list(rendered):
            rendered = {str(index): manifest for index, manifest in enumerate(rendered)}
        manifests: DataMap = {}
        for file_name, manifest in _mapping(rendered, name, "manifests").items():
            read = _mapping(manifest, f"{name}.{file_name}", "location and data")
            # A manifest is left out if a false condition makes its text empty.
            if read.get("data") is not None:
                manifests[file_name] = self._manifest(read, f"{name}.{file_name}")
        return manifests

    def _manifest(self, manifest: DataMap, name: str) -> DataMap:
        location = manifest.get("location")
        if location not in LOCATIONS:
            shown = "another" if isinstance(location, Secret) else repr(location)
            raise DriverError(f"{name}: its location is {shown} (it is one of {', '.join(LOCATIONS)})")
        data = manifest["data"]
        if isinstance(data, str):
            # `data: |` within a text that is already rendered: its content is YAML too.
            marked = data.marked if isinstance(data, InnerText) else data
            data = read_rendered(marked, f"{name}.data", self._guards)
        if not is_mapping(data):
            raise DriverError(f"{name}: its data is no mapping (write the manifest as YAML, one per entry)")
        return {"location": manifest["location"], "data": data}


def _with_marks(request: DriverRequest) -> DriverRequest:
    """Return a request whose secrets are marked."""
    given = marked_at({"values": request.values, "params": request.params}, request.sensitive)
    return msgspec.structs.replace(
        request, values=given["values"], params=given["params"], secrets=secret_leaves(request.secrets)
    )


def _data_of(request: DriverRequest, kept: DataMap) -> dict[str, Any]:
    """Return what the first template sees."""
    sensitive: Any = kept.get("sensitive") or ()
    return {
        "driver": {"values": request.values or {}, "secrets": request.secrets or {}},
        "resource": {} if request.params is None else request.params,
        "id": request.guresid,
        "cookie": marked_at(kept.get("cookie"), map(tuple, sensitive)),
        "init": {},
    }


class _Place(NamedTuple):
    """Where a template is.

    Args:
        name: its name in errors.
        path: where it is in the request.
        inner_levels: how many levels deep what it renders to may have a `data` whose text is YAML itself.
    """

    name: str
    path: InputPath
    inner_levels: int = 0

    def below(self, key: str | int) -> _Place:
        """Return the place of a template below this one."""
        return _Place(below(self.name, key), (*self.path, key), max(self.inner_levels - 1, 0))


def _mapping(rendered: Any, name: str, of: str) -> DataMap:
    if rendered is None:
        return {}
    if not is_mapping(rendered):
        kind = "a list" if is_list(rendered) else "one value"
        raise DriverError(f"{name}: it renders to {kind}, where a mapping of {of} is expected")
    if any(isinstance(key, Secret) for key in rendered):
        raise DriverError(f"{name}: a name in it is computed from a secret, and names are shown")
    return rendered


def _digest(outcome: list[Any]) -> str:
    text = json.dumps(outcome, sort_keys=True, ensure_ascii=False)
    try:
        return hashlib.sha256(text.encode()).hexdigest()
    except UnicodeEncodeError:
        raise DriverError("a template renders to half of a surrogate pair, which is no text") from None


def _comment(values: DataMap, secrets: DataMap, manifests: DataMap) -> str:
    named = {"outputs": [*values, *secrets], "manifests": list(manifests)}
    return "; ".join(f"{what}: {', '.join(names)}" for what, names in named.items() if names)
