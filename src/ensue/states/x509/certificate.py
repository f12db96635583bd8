"""`x509.certificate_managed`.

A certificate that is there is compared with one that the same arguments make now; openssl makes that in each
run, and it is written only when they differ.

Source: Salt's state module `x509_v2`, 3008.
"""

from __future__ import annotations

import datetime as dt
import secrets
from typing import TYPE_CHECKING, Any, Final

from ensue.contracts.functions import also_takes
from ensue.errors import StateFailedError
from ensue.model.data import is_list, is_mapping
from ensue.states.x509.comparing import differences
from ensue.states.x509.files import ABOUT_FILE, kept, outcome, split
from ensue.states.x509.keys import public_key as public_part
from ensue.states.x509.names import ATTRIBUTES, EXTENSIONS, attributes, extensions, name_of
from ensue.states.x509.openssl import Key, must

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.contracts.context import StateContext
    from ensue.model.data import DataMap
    from ensue.model.returns import StateReturn

_DAYS_VALID: Final = 365
_DAYS_REMAINING: Final = 90
_RENAMED: Final[dict[str, str]] = {"algorithm": "digest"}
_OLD: Final = {"verbose": "", "text": "", "version": "", "copypath": "", "prepend_cn": ""}
_SIGNING: Final = (
    "algorithm", "csr", "days_valid", "digest", "private_key", "private_key_passphrase", "public_key",
    "serial_number", "signing_cert", "signing_private_key", "signing_private_key_passphrase", "subject",
)  # fmt: skip


@also_takes(*ABOUT_FILE, *ATTRIBUTES, *EXTENSIONS, *_SIGNING, outdated=_OLD)
async def certificate_managed(
    ctx: StateContext,
    name: str,
    *,
    days_remaining: int | None = None,
    ca_server: str | None = None,
    signing_policy: str | None = None,
    encoding: str = "pem",
    append_certs: list[str] | str | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Have a certificate, signed on the target.

    Args:
        ctx: the state's context.
        name: the path.
        days_remaining: it is made anew when it is valid for fewer days (90); 0 never.
        ca_server: refused: no other minion is asked.
        signing_policy: a key of `x509_signing_policies` in options or pillar, whose arguments win.
        encoding: `pem`.
        append_certs: certificates that follow in the file: paths of the target, or PEM.
        **kwargs: `signing_private_key`, `signing_private_key_passphrase`, `signing_cert` (without it the
            certificate signs itself); `public_key`, `private_key`, `private_key_passphrase` or `csr`;
            `digest`, `serial_number`, `days_valid` (365), `subject`; attributes of the name (`CN`, …),
            extensions (`basicConstraints`, …), and arguments of `file.managed`.

    Returns:
        `changes` have `created` or `replaced` with the path, or what changes (`expiration`, `subject_name`,
        `extensions`, …); `new_state` has `path subject issuer serial_number not_after`.

    Raises:
        StateFailedError: an argument makes no sense, or the key cannot be used.
    """
    if ca_server:
        raise StateFailedError(
            "x509.certificate_managed: ca_server needs another minion to sign, and none is asked here; run "
            "the state on that machine, with its `tgt`, and fetch the certificate by `ssh_host.fetch_file`"
        )
    if encoding != "pem":
        raise StateFailedError("encoding: there is pem")
    about_file, others = split(kwargs)
    given = {_RENAMED.get(word, word): value for word, value in others.items() if word not in _OLD}
    given |= await _policy(ctx, signing_policy)
    there = await ctx.connection.stat(name, follow=True)
    if there is None and ctx.test:
        file = await kept(ctx, name, None, about_file)
        return outcome(ctx, name, "certificate", {"created": name}, file, None)
    from cryptography import x509

    made = await _made(ctx, given)
    candidate = x509.load_pem_x509_certificate(made.encode())
    more = [
        await _text(ctx, each)
        for each in ([append_certs] if isinstance(append_certs, str) else append_certs or [])
    ]
    changes: DataMap = {"created": name}
    now = candidate
    if there is not None:
        days = _DAYS_REMAINING if days_remaining is None else int(days_remaining)
        try:
            held = x509.load_pem_x509_certificates(await ctx.connection.read(name))
        except ValueError:
            changes = {"replaced": name}
        else:
            changes = await _differences(ctx, held[0], candidate, given, days)
            if held[1:] != [x509.load_pem_x509_certificate(each.encode()) for each in more]:
                changes["additional_certs"] = True
            now = candidate if changes else held[0]
    text = "".join(f"{each.strip()}\n" for each in [made, *more]) if changes else None
    file = await kept(ctx, name, text, about_file)
    return outcome(ctx, name, "certificate", changes, file, _state(name, now))


async def _made(ctx: StateContext, arguments: dict[str, Any]) -> str:
    """Have openssl sign a certificate; return it as PEM."""
    given = dict(arguments)
    signing_key = given.pop("signing_private_key", None)
    if not signing_key:
        raise StateFailedError("signing_private_key is required: the path of the key that signs")
    key = Key(path=str(signing_key), passphrase=given.pop("signing_private_key_passphrase", None))
    signing_cert = given.pop("signing_cert", None)
    public, csr_name = await _public(ctx, given, key)
    subject = name_of(given.pop("subject", None), attributes(given)) or csr_name
    files = {"request.pem": _carrier(subject), "extensions.cnf": extensions(given)}
    serial = given.pop("serial_number", None)
    words = [
        "x509",
        "-req",
        "-in",
        "@request.pem",
        "-days",
        str(given.pop("days_valid", None) or _DAYS_VALID),
    ]
    words += ["-set_serial", f"0x{_serial(serial):x}", f"-{given.pop('digest', 'sha256')}"]
    words += ["-extfile", "@extensions.cnf", "-extensions", "extensions", *key.options()]
    if signing_cert:
        files |= {"public.pem": public, "authority.pem": await _text(ctx, str(signing_cert))}
        words += ["-CA", "@authority.pem", "-CAkey", key.path, "-force_pubkey", "@public.pem"]
    else:
        words += ["-signkey", key.path]
    if given:
        raise StateFailedError(f"Unrecognized keyword arguments: {', '.join(sorted(given))}")
    return await must(ctx, *words, key=key, files=files, what=f"sign with the key {key.path}")


async def _public(ctx: StateContext, given: dict[str, Any], key: Key) -> tuple[str, x509.Name | None]:
    """Take the arguments that say whose certificate it is; return the public key and a request's name."""
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    csr, public, private = (given.pop(word, None) for word in ("csr", "public_key", "private_key"))
    passphrase = given.pop("private_key_passphrase", None)
    if csr:
        request = x509.load_pem_x509_csr((await _text(ctx, str(csr))).encode())
        pem = request.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        return pem.decode(), request.subject
    if not public and not private:
        return await public_part(ctx, key), None
    path = str(private or public)
    if path.startswith("-----BEGIN PUBLIC KEY"):
        return path, None
    head = "" if private else await _first_line(ctx, path)
    if head.startswith("-----BEGIN PUBLIC KEY"):
        return await _text(ctx, path), None
    return await public_part(ctx, Key(path=path, passphrase=passphrase)), None


async def _first_line(ctx: StateContext, path: str) -> str:
    from ensue.contracts.connection import Command

    done = await ctx.connection.run(Command(argv=["head", "-n", "1", "--", path], cwd="/"))
    return done.stdout.decode("utf-8", "replace")


async def _text(ctx: StateContext, source: str) -> str:
    """Return a public PEM that a user names by its path, or gives."""
    if "-----BEGIN " in source:
        return source
    return (await ctx.connection.read(source)).decode("utf-8", "replace")


async def _policy(ctx: StateContext, name: str | None) -> dict[str, Any]:
    if not name:
        return {}
    policies: Any = await ctx.call("config.get", "x509_signing_policies", {})
    found: Any = policies.get(name) if is_mapping(policies) else None
    entries: list[Any] = found if is_list(found) else [found]
    if not found or not all(is_mapping(entry) for entry in entries):
        raise StateFailedError(f"x509_signing_policies, in options or pillar, has no policy {name}")
    whole: dict[str, Any] = {word: value for entry in entries for word, value in entry.items()}
    return {
        _RENAMED.get(word, word): value for word, value in whole.items() if word not in {*_OLD, "minions"}
    }


async def _differences(
    ctx: StateContext,
    current: x509.Certificate,
    candidate: x509.Certificate,
    given: dict[str, Any],
    days: int,
) -> DataMap:
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature

    changes = differences(current, candidate, extensions(dict(given)))
    left = current.not_valid_after_utc - dt.datetime.now(tz=dt.UTC)
    if days and left < dt.timedelta(days=days):
        changes["expiration"] = True
    serial = given.get("serial_number")
    if serial is not None and _serial(serial) != current.serial_number:
        changes["serial_number"] = str(serial)
    if current.issuer != candidate.issuer:
        changes["issuer_name"] = candidate.issuer.rfc4514_string()
    else:
        authority = candidate
        if given.get("signing_cert"):
            text = await _text(ctx, str(given["signing_cert"]))
            authority = x509.load_pem_x509_certificate(text.encode())
        try:
            current.verify_directly_issued_by(authority)
        except (InvalidSignature, ValueError, TypeError):
            changes["signing_private_key"] = True
    return changes


def _carrier(subject: x509.Name | None) -> str:
    """Return a request that carries the name to openssl, signed with a key that is thrown away."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import Encoding

    builder = x509.CertificateSigningRequestBuilder().subject_name(subject or x509.Name([]))
    request = builder.sign(ec.generate_private_key(ec.SECP256R1()), SHA256())
    return request.public_bytes(Encoding.PEM).decode()


def _serial(given: Any) -> int:
    """Read a serial number: decimal, or hexadecimal with colons; without one, a random one of 20 bytes."""
    if given is None:
        return secrets.randbits(158) | 1
    text = str(given)
    try:
        return int(text.replace(":", ""), 16) if ":" in text or not text.isdecimal() else int(text)
    except ValueError:
        raise StateFailedError(f"serial_number {text!r} is no number") from None


def _state(name: str, certificate: x509.Certificate) -> DataMap:
    return {
        "path": name,
        "subject": certificate.subject.rfc4514_string(),
        "issuer": certificate.issuer.rfc4514_string(),
        "serial_number": f"{certificate.serial_number:X}",
        "not_after": certificate.not_valid_after_utc.strftime("%Y-%m-%d %H:%M:%S"),
    }
