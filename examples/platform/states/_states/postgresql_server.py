"""A PostgreSQL server of an environment's own, which listens on a Unix socket and nowhere else."""

import hashlib
import os
import secrets
import shlex
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

OWNER = "postgres"  # of the processes, where ensue itself runs as root
SUPERUSER = "provisioner"
PORT = 5432  # nothing but a part of the socket's name
LONGEST_SOCKET_FOLDER = 90  # bytes; the path of a socket may have 107


def running(name):
    """Make sure that the server of an environment is there and runs."""
    place, programs = place_of(name), programs_folder()
    if programs is None:
        return answer(name, False, "PostgreSQL's server is not installed: apt install postgresql")
    if is_running(place):
        return answer(name, True, f"The server {name} runs") | described(place)
    changes = {"started" if (place / "data").exists() else "created": name}
    if __opts__["test"]:
        return answer(name, None, f"The server {name} would be {' '.join(changes)}", changes)
    try:
        create(programs, place)
        start(programs, place)
    except subprocess.CalledProcessError as error:
        return answer(name, False, f"{Path(error.cmd[0]).name} failed: {error.stdout.strip()}")
    return answer(name, True, f"The server {name} was {' '.join(changes)}", changes) | described(place)


def absent(name):
    """Make sure that the server of an environment has stopped, and that its data is gone."""
    place, programs = place_of(name), programs_folder()
    if not place.exists() and not place.is_symlink():
        return answer(name, True, f"There is no server {name}")
    if __opts__["test"]:
        return answer(name, None, f"The server {name} would be removed", {"removed": name})
    if programs is not None and is_running(place):
        run(programs / "pg_ctl", "-D", place.resolve() / "data", "-w", "-m", "fast", "stop")
    shutil.rmtree(place.resolve(), ignore_errors=not place.exists())
    if place.is_symlink():
        place.unlink()
    return answer(name, True, f"The server {name} was removed", {"removed": name})


def answer(name, result, comment, changes=None):
    return {"name": name, "result": result, "changes": changes or {}, "comment": comment}


def described(place):
    """Say how to connect; the password is a secret wherever it is shown."""
    state = {
        "host": str(place.resolve()),
        "port": PORT,
        "database": "postgres",
        "user": SUPERUSER,
        "password": (place / "password").read_text(),
    }
    return {"new_state": state, "sensitive": ["password"]}


def create(programs, place):
    """Make an empty server; one that was begun and not finished is begun again."""
    if (place / "data").exists():
        return
    make_folder(place)
    begun = place.resolve() / "data.new"
    shutil.rmtree(begun, ignore_errors=True)
    password = place.resolve() / "password"
    password.write_text(secrets.token_urlsafe(24))
    password.chmod(0o600)
    if os.geteuid() == 0:
        shutil.chown(password, OWNER)
    login = ["-U", SUPERUSER, "--auth=scram-sha-256", f"--pwfile={password}"]
    run(programs / "initdb", "-D", begun, *login, "--encoding=UTF8", "--no-locale")
    begun.rename(place.resolve() / "data")


def make_folder(place):
    """Make the folder of a server, in the project where that is possible.

    PostgreSQL refuses to run as root. Its own user cannot always reach root's folders, and no socket can have
    a long path: the folder is then a temporary one, always the same, and a link in the project leads there.
    """
    if place.exists():
        return
    place.unlink(missing_ok=True)  # a link to a temporary folder that somebody has tidied away
    place.mkdir(parents=True, mode=0o700)
    if os.geteuid() == 0:
        shutil.chown(place, OWNER)
    if is_reachable(place) and len(os.fsencode(place)) <= LONGEST_SOCKET_FOLDER:
        return
    place.rmdir()
    mark = hashlib.sha256(os.fsencode(place)).hexdigest()[:12]
    elsewhere = Path(tempfile.gettempdir(), f"ensue-platform-{mark}")
    elsewhere.mkdir(mode=0o700)
    place.symlink_to(elsewhere)
    if os.geteuid() == 0:
        shutil.chown(place, OWNER)


def is_reachable(place):
    return subprocess.run([*as_user(), "test", "-w", place], cwd="/", check=False).returncode == 0


def start(programs, place):
    folder = place.resolve()
    options = f"-k {shlex.quote(str(folder))} -c listen_addresses= -c port={PORT}"
    run(programs / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "-o", options, "start")


def is_running(place):
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(place.resolve() / f".s.PGSQL.{PORT}"))
        except OSError:
            return False
        return True


def run(*command):
    subprocess.run(
        [*as_user(), *command],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )


def as_user():
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--init-groups", "--"]


def place_of(name):
    return Path(__opts__["root_dir"]).resolve() / "machine/srv/postgresql" / name


def programs_folder():
    """Return the folder of the newest server's programs; None: there is no server."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.stat().st_mtime)
    initdb = found[-1] if found else shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb else None
