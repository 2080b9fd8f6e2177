"""Servers that are measured: how they are started, their worker processes, and the bundles that are replaced under them."""
import contextlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../lib"))
from project_files import ROOT  # noqa: E402

BUNDLE = os.path.join(ROOT, "Examples/Bundles/diabetes.tiobundle")
BODY = json.dumps([0.1] * 10)
"""The input of one prediction of the bundle."""


@contextlib.contextmanager
def running(executable, folder, *options, **environment):
    """A server with the models of a folder, and its port as `http_port`. Its worker processes continue, if they are stopped, and it is ended."""
    server = subprocess.Popen(
        [executable, "serve", folder, "--port", "0", "--quiet", *options],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **environment})
    server.http_port = int(server.stdout.readline().rstrip().rstrip("/").rsplit(":", 1)[1])
    try:
        wait_until(lambda: get(server, "/v2/health/ready")[0] == 200)
        yield server
    finally:
        for worker in workers(server):
            os.kill(worker, signal.SIGCONT)
        server.terminate()
        try:
            server.wait(timeout=60)
        finally:
            server.kill()


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def workers(server):
    """Returns the process IDs of a server's worker processes."""
    found = set()
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{server.pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{server.pid}/task/{thread}/children") as file:
                found.update(int(child) for child in file.read().split())
    return found


def connect(server, timeout=200):
    return http.client.HTTPConnection("127.0.0.1", server.http_port, timeout=timeout)


def get(server, path):
    """Returns the status of a request, or the name of its error, and the JSON of the response."""
    connection = connect(server, 60)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"null")
    except OSError as error:
        return type(error).__name__, None
    finally:
        connection.close()


def predict(connection, path, body=BODY):
    """Returns the status, the headers and the text of a response."""
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    return response.status, response.headers, response.read().decode()


def write_bundle(path, version):
    shutil.copytree(BUNDLE, path)
    description = os.path.join(path, "model.json")
    with open(description) as file:
        content = json.load(file)
    content["version"] = str(version)
    with open(description, "w") as file:
        json.dump(content, file)


def replace(folder, version, name="m.tiobundle"):
    """Puts a version in the place of another by renaming."""
    new, old, target = (os.path.join(folder, each) for each in (".new", ".old", name))
    write_bundle(new, version)
    if os.path.exists(target):
        os.rename(target, old)
    os.rename(new, target)
    shutil.rmtree(old, ignore_errors=True)
