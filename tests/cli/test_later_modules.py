"""Modules that are executed when something in them is first asked for."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import textwrap

import pytest
from tests.cli.shell import environment

from ensue.cli.later_modules import LATER

_BEGIN = """
import sys
from ensue.cli.later_modules import LATER, install
import importlib, importlib.util
import msgspec, asyncio
for name in LATER:
    sys.modules.pop(name, None)
install()
def waits(name):
    return type(sys.modules[name]).__name__ == "_Unexecuted"
"""


def _printed(program: str, *words: str) -> str:
    """Run a program in a process of its own, the modules being put off, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", _BEGIN + textwrap.dedent(program), *words],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", sorted(LATER))
def test_a_module_is_executed_when_it_is_used(name: str) -> None:
    """An import executes nothing; the first use does, in place, and then it has all that it would have."""
    program = """
        import importlib
        name = sys.argv[1]
        module = importlib.import_module(name)
        assert waits(name) and "__file__" in object.__getattribute__(module, "__dict__")
        names = set(dir(module))
        assert not waits(name) and sys.modules[name] is module
        print(*sorted(names))
    """
    named = {one for one in dir(importlib.import_module(name)) if not one.startswith("__")}
    assert named <= set(_printed(program, name).split())


@pytest.mark.parametrize("name", sorted(LATER))
def test_no_two_threads_can_wait_for_each_other(name: str) -> None:
    """What a module imports is imported without the use of one that is put off, save by such a one."""
    imports = """
        import importlib
        before = set(sys.modules)
        dir(importlib.import_module(sys.argv[1]))
        print(*(set(sys.modules) - before - LATER))
    """
    alone = """
        import importlib
        for name in sys.argv[1:]:
            importlib.import_module(name)
        print(*(name for name in LATER & set(sys.modules) if not waits(name)))
    """
    assert _printed(alone, *_printed(imports, name).split()) == ""


def test_threads_that_ask_at_once_get_one_module() -> None:
    """A module is executed once, and no thread sees it half executed."""
    program = """
        import threading, importlib
        sys.setswitchinterval(1e-6)
        together = threading.Barrier(8)
        def ask(name, attribute, seen):
            together.wait()
            seen.append(getattr(importlib.import_module(name), attribute))
        for name, attribute in [
            ("ipaddress", "collapse_addresses"), ("inspect", "_main"), ("ssl", "get_server_certificate"),
            ("textwrap", "indent"), ("platform", "platform"), ("linecache", "lazycache"),
        ]:
            seen = []
            threads = [threading.Thread(target=ask, args=(name, attribute, seen)) for _ in range(8)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            assert len(seen) == 8 and len(set(map(id, seen))) == 1, (name, seen)
        print("one")
    """
    assert _printed(program) == "one"


def test_who_looks_through_all_modules_executes_none() -> None:
    """Asking every module for its file, or for the warnings it gave, leaves those alone that wait."""
    program = """
        import inspect, ssl, textwrap
        for module in list(sys.modules.values()):
            getattr(module, "__file__", None), getattr(module, "__spec__", None)
            assert not getattr(module, "__warningregistry__", None)
        print(waits("inspect"), waits("ssl"), waits("textwrap"))
    """
    assert _printed(program) == "True True True"


def test_what_is_done_with_modules_works() -> None:
    """`from` imports, stars, reloads, pickles and attributes that are set do as they always do."""
    program = """
        import pickle, linecache, platform, ssl, asyncio.sslproto
        from ipaddress import *
        assert ip_address("::1") == pickle.loads(pickle.dumps(ip_address("::1")))
        import textwrap
        assert importlib.reload(textwrap) is textwrap and textwrap.dedent(" a") == "a"
        linecache.cache = kept = {}
        assert linecache.cache is kept and linecache.getline(__import__("os").__file__, 1)
        del platform.python_version
        assert not hasattr(platform, "python_version") and platform.machine()
        assert asyncio.sslproto.SSLProtocol and isinstance(ssl, type(sys))
        import inspect
        assert inspect.getsource(textwrap.dedent).startswith("def dedent")
        assert inspect.getmodule(textwrap.dedent) is textwrap
        print("done")
    """
    assert _printed(program) == "done"


def test_who_wants_a_module_of_his_own_gets_a_full_one() -> None:
    """A module that is made by hand, by either of the import system's ways, is executed on its own."""
    program = """
        import importlib.util, ipaddress, textwrap, platform
        for used in (False, True):
            specification = importlib.util.find_spec("ipaddress")
            made = importlib.util.module_from_spec(specification)
            specification.loader.exec_module(made)
            assert made is not ipaddress and waits("ipaddress") is not used
            assert made.ip_address("::1") and made.ip_address is not ipaddress.ip_address
        del sys.modules["textwrap"]
        loaded = importlib.util.find_spec("textwrap").loader.load_module("textwrap")
        assert loaded.dedent(" a") == textwrap.dedent(" a") == "a" and loaded is not textwrap
        kept = sys.modules.pop("platform")
        import platform
        assert kept.machine() == platform.machine() and kept.machine is not platform.machine
        print("own")
    """
    assert _printed(program) == "own"


def test_a_module_may_be_given_another_class() -> None:
    """Whoever gives a module a class of modules finds in it what it has nonetheless."""
    program = """
        import textwrap
        class Loud(type(sys)):
            def shout(self):
                return self.dedent("  a").upper()
        textwrap.__class__ = Loud
        print(textwrap.shout())
    """
    assert _printed(program) == "A"


def test_a_module_that_does_not_load_is_tried_anew() -> None:
    """The one who uses it gets the reason; when that is gone, it loads."""
    program = """
        import ssl
        sys.modules["_ssl"] = None
        for _ in range(2):
            try:
                ssl.SSLContext
            except ImportError as error:
                print(error.name)
        del sys.modules["_ssl"]
        print(ssl.SSLContext.__name__, waits("ssl"))
    """
    assert _printed(program).split() == ["_ssl", "_ssl", "SSLContext", "False"]


def test_asyncio_speaks_tls() -> None:
    """A connection through asyncio's own TLS comes about when both of its modules were put off."""
    program = """
        import asyncio, datetime, os, tempfile
        for name in [one for one in sys.modules if one == "asyncio" or one.startswith("asyncio.")]:
            del sys.modules[name]
        import asyncio, ssl
        assert waits("ssl") and waits("asyncio.sslproto")
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization as s
        from cryptography.hazmat.primitives.asymmetric import ec
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        now = datetime.datetime.now(datetime.timezone.utc)
        made = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(1).not_valid_before(now - datetime.timedelta(1))
            .not_valid_after(now + datetime.timedelta(1)).sign(key, hashes.SHA256())
        )
        with tempfile.NamedTemporaryFile() as file:
            file.write(made.public_bytes(s.Encoding.PEM))
            file.write(key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()))
            file.flush()
            here = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            here.load_cert_chain(file.name)
            there = ssl.create_default_context(cafile=file.name)
            there.check_hostname = False
        async def echo(reader, writer):
            writer.write(await reader.readline())
            await writer.drain()
            writer.close()
        async def talk():
            async with await asyncio.start_server(echo, "127.0.0.1", 0, ssl=here) as server:
                port = server.sockets[0].getsockname()[1]
                reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=there)
                writer.write(b"hello\\n")
                print((await reader.readline()).decode())
                writer.close()
        asyncio.run(talk())
    """
    assert _printed(program) == "hello"


@pytest.mark.parametrize("text", ["", " ", "one line", "  one line ", "\tone", "one\n  two\n", "\x0bone"])
def test_a_text_is_cleaned_as_inspect_does(text: str) -> None:
    """What is answered for `inspect` before it is executed is what it answers itself."""
    program = """
        import inspect
        clean = inspect.cleandoc
        print(ascii(clean(sys.argv[1])))
    """
    assert _printed(program, text) == ascii(inspect.cleandoc(text))


def test_a_system_is_named_as_platform_does() -> None:
    """What is answered for `platform` before it is executed is what it answers itself."""
    program = """
        import platform
        meanwhile = platform.system()
        assert waits("platform")
        platform.machine()
        print(not waits("platform") and meanwhile == platform.system())
    """
    assert _printed(program) == "True"


def test_a_process_that_uses_ensue_is_left_alone() -> None:
    """Only the command itself puts modules off: not one that is called within another program."""
    program = """
        sys.meta_path.pop(0)
        before = list(sys.meta_path)
        from ensue.cli import main
        main(["explain"])
        print(sys.meta_path == before)
    """
    assert _printed(program).endswith("True")


def test_who_wraps_a_function_wraps_it_once() -> None:
    """A function that was taken before its module was executed calls the module's own, not a wrapper."""
    program = """
        import gettext, inspect, urllib.parse
        from importlib import reload
        def loud(function):
            return lambda *given: function(*given).upper()
        gettext.gettext = loud(gettext.gettext)
        inspect.cleandoc = loud(inspect.cleandoc)
        urllib.parse.quote_from_bytes = loud(urllib.parse.quote_from_bytes)
        print(gettext.gettext("a"), inspect.cleandoc(" b\\n  c"), urllib.parse.quote_from_bytes(b"d e"))
        import platform
        reload(platform)
        assert not waits("platform") and platform.system.__module__ == "platform"
    """
    assert _printed(program).split() == ["A", "B", "C", "D%20E"]


def test_translations_are_had_by_who_says_where_they_are() -> None:
    """A function that was taken of `gettext` before anybody used it finds what is bound later."""
    program = """
        from gettext import gettext, ngettext
        print(gettext("one"), ngettext("one", "many", 1), ngettext("one", "many", 2), waits("gettext"))
        import gettext as module, os, struct, tempfile
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(f"{folder}/de/LC_MESSAGES")
            with open(f"{folder}/de/LC_MESSAGES/own.mo", "wb") as file:
                file.write(struct.pack("<7I", 0x950412DE, 0, 1, 28, 36, 0, 0))
                file.write(struct.pack("<4I", 3, 44, 4, 48) + b"one\\0eins\\0")
            os.environ["LANGUAGE"] = "de"
            module.bindtextdomain("own", folder)
            module.textdomain("own")
            print(gettext("one"), ngettext("two", "many", 2))
    """
    assert _printed(program).split() == ["one", "one", "many", "True", "eins", "many"]
