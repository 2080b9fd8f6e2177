"""Changes models, processes and signals of a server under load.

Starts servers with the default configuration and prints exact counts: ten replacements under 200 requests per second, a bundle
that is copied with pauses, versions and labels, SIGTERM with queued requests, killed worker processes, a full queue, and clients
that leave. Fails if a count is not what it should be.
"""
import collections
import contextlib
import http.client
import json
import os
import signal
import socket
import tempfile
import threading
import time

import running as servers
from running import BODY, BUNDLE, connect, get, replace, wait_until, workers, write_bundle

failures = []
executable = None


def check(name, is_right, detail):
    print(f"{'ok    ' if is_right else 'FAILED'} {name}: {detail}", flush=True)
    if not is_right:
        failures.append(name)


def running(folder, *options):
    return servers.running(executable, folder, *options)


def predict(connection, path="/v2/models/m/predict"):
    status, _, text = servers.predict(connection, path)
    return status, json.loads(text)


class Load:
    """Clients that send requests at a fixed rate and record what they receive."""

    def __init__(self, server, rate, clients=4, path="/v2/models/m/predict"):
        self.server, self.interval, self.path = server, clients / rate, path
        self.statuses, self.versions = collections.Counter(), collections.Counter()
        self.latencies, self.is_running = [], True
        self.threads = [threading.Thread(target=self.run) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self):
        connection = connect(self.server, 60)
        due = time.monotonic()
        while self.is_running:
            due += self.interval
            time.sleep(max(0, due - time.monotonic()))
            start = time.monotonic()
            try:
                status, result = predict(connection, self.path)
            except (OSError, http.client.HTTPException) as error:
                self.statuses[type(error).__name__] += 1
                connection.close()
                continue
            self.latencies.append(time.monotonic() - start)
            self.statuses[status] += 1
            if status == 200:
                self.versions[result["model"]["version"]] += 1

    def stop(self):
        self.is_running = False
        for thread in self.threads:
            thread.join()

    def p99(self):
        values = sorted(self.latencies)
        return values[int(len(values) * 0.99)] * 1000


def check_replacements(folder):
    replace(folder, "1")
    with running(folder) as server:
        quiet = Load(server, 200)
        time.sleep(10)
        quiet.stop()
        load = Load(server, 200)
        for number in range(2, 12):
            replace(folder, str(number))
            wait_until(lambda: load.versions[str(number)] > 0, 30)
        load.stop()
    check("ten replacements under 200 requests/s",
          set(load.statuses) == {200} and len(load.versions) == 11,
          f"statuses {dict(load.statuses)}, versions {dict(load.versions)}")
    check("p99 during the replacements", load.p99() <= 2 * quiet.p99(),
          f"{load.p99():.2f} ms, {quiet.p99():.2f} ms without ({load.p99() / quiet.p99():.2f} times)")


def check_slow_copy(folder):
    """Copies a bundle file by file, each in two halves with pauses longer than the server waits."""
    replace(folder, "1")
    with running(folder) as server:
        target, partial = os.path.join(folder, "slow.tiobundle"), collections.Counter()
        connection = connect(server, 60)
        names = ["model.json", "model.tflite"]
        names += sorted(name for name in os.listdir(BUNDLE)
                        if name not in names and os.path.isfile(os.path.join(BUNDLE, name)))
        os.mkdir(target)
        for name in names:
            with open(os.path.join(BUNDLE, name), "rb") as source:
                content = source.read()
            with open(os.path.join(target, name), "wb") as copy:
                for half in [content[:len(content) // 2], content[len(content) // 2:]]:
                    copy.write(half)
                    copy.flush()
                    is_complete = name != "model.json" and copy.tell() == len(content)
                    for _ in range(0 if is_complete or name not in names[:2] else 5):
                        time.sleep(1)
                        partial[predict(connection, "/v2/models/slow/predict")[0]] += 1
        is_served = wait_until(
            lambda: predict(connection, "/v2/models/slow/predict")[0] == 200, 20)
        check("a bundle that is copied with pauses", is_served and 200 not in partial,
              f"statuses while its model is incomplete {dict(partial)}, served afterwards: {is_served}")


def check_versions(folder):
    models = os.path.join(folder, "m")
    os.mkdir(models)
    for version in "123":
        write_bundle(os.path.join(models, f"{version}.tiobundle"), version)
    with open(os.path.join(models, "serving.json"), "w") as file:
        json.dump({"policy": ["1", "2"], "labels": {"stable": "1", "canary": "2", "lost": "3"}}, file)
    with running(folder) as server:
        connection = connect(server, 60)
        found = {}
        for name in ["", "/versions/1", "/versions/2", "/versions/3", "/versions/stable",
                     "/versions/canary", "/versions/lost"]:
            status, result = predict(connection, f"/v2/models/m{name}/predict")
            found[name] = result["model"]["version"] if status == 200 else status
        expected = {"": "2", "/versions/1": "1", "/versions/2": "2", "/versions/3": 404,
                    "/versions/stable": "1", "/versions/canary": "2", "/versions/lost": 404}
        ready = get(server, "/v2/health/ready")[1]
        check("versions and labels", found == expected and ready["missing_labels"] == ["m lost"],
              f"{found}, missing labels {ready['missing_labels']}")


def send(server, half_close=False):
    client = socket.create_connection(("127.0.0.1", server.http_port))
    client.sendall(f"POST /v2/models/m/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   f"Content-Length: {len(BODY)}\r\n\r\n{BODY}".encode())
    if half_close:
        client.shutdown(socket.SHUT_WR)
    return client


def status(client):
    client.settimeout(60)
    with contextlib.suppress(OSError):
        text = b""
        while True:
            text += client.recv(65536)
            while text.startswith(b"HTTP/1.1 102"):
                text = text.split(b"\r\n\r\n", 1)[1]
            if b"\r\n\r\n" in text:
                return int(text.split()[1])
    return "reset"


def metrics(server):
    connection = connect(server, 60)
    connection.request("GET", "/metrics")
    return connection.getresponse().read().decode().splitlines()


def load_value(server, name):
    for line in metrics(server):
        if line.startswith(name + " "):
            return int(line.split()[1])


@contextlib.contextmanager
def busy(server):
    """Holds the worker processes of a server, so that its requests run and do not end."""
    held = workers(server)
    for worker in held:
        os.kill(worker, signal.SIGSTOP)
    yield
    for worker in held:
        os.kill(worker, signal.SIGCONT)


def check_drain(folder):
    replace(folder, "1")
    with running(folder, "--workers", "1") as server:
        with busy(server):
            clients = [send(server) for _ in range(3)]
            wait_until(lambda: load_value(server, "tensorio_requests_queued") == 2)
            server.terminate()
            time.sleep(0.2)
            ready = get(server, "/v2/health/ready")[0]
            late = [status(send(server)) for _ in range(5)]
        accepted = [status(client) for client in clients]
        code = server.wait(timeout=30)
        check("SIGTERM with one running and two queued requests",
              accepted == [200] * 3 and ready == 503 and late == [503] * 5 and code == 0,
              f"accepted {accepted}, ready {ready}, later {late}, exit status {code}")


def check_queue(folder):
    replace(folder, "1")
    with running(folder, "--workers", "1", "--queue-size", "4") as server:
        with busy(server):
            clients = [send(server) for _ in range(50)]
            wait_until(lambda: load_value(server, "tensorio_requests_queued") == 4)
            time.sleep(0.5)
        statuses = collections.Counter(status(client) for client in clients)
        check("a queue of 4 with 50 requests", statuses == {200: 5, 503: 45}, dict(statuses))


def check_leaving(folder):
    replace(folder, "1")
    with running(folder, "--workers", "1") as server:
        def runs():
            for line in metrics(server):
                if line.startswith('nv_inference_count{'):
                    return int(line.rsplit(" ", 1)[1])
        before = runs()
        with busy(server):
            first = send(server)
            wait_until(lambda: load_value(server, "tensorio_requests_in_flight") == 1)
            leaving = [send(server) for _ in range(10)]
            staying = [send(server, half_close=True) for _ in range(3)]
            wait_until(lambda: load_value(server, "tensorio_requests_queued") == 13)
            for client in leaving:
                client.close()
            dropped = wait_until(lambda: load_value(server, "tensorio_requests_queued") == 3)
        statuses = [status(client) for client in [first] + staying]
        check("clients that leave and clients that half-close",
              dropped and statuses == [200] * 4 and runs() - before == 4,
              f"dropped: {dropped}, others {statuses}, runs {runs() - before}")


def check_killed(folder):
    replace(folder, "1")
    replace(folder, "1", "other.tiobundle")
    with running(folder) as server:
        own = workers(server)
        load, other = Load(server, 50, clients=2), Load(server, 50, clients=2, path="/v2/models/other/predict")
        time.sleep(2)
        kills = 0
        for _ in range(5):
            for worker in workers(server):
                os.kill(worker, signal.SIGKILL)
                kills += 1
            time.sleep(1)
        time.sleep(2)
        load.stop()
        other.stop()
        failed = sum(counter.statuses[503] for counter in (load, other))
        check("killed worker processes", failed <= kills and own and
              set(load.statuses) | set(other.statuses) <= {200, 503},
              f"{kills} killed, {failed} requests failed, {dict(load.statuses)}, {dict(other.statuses)}")


def is_passed(path):
    global executable
    executable = path
    for test in [check_replacements, check_versions, check_drain, check_queue, check_leaving, check_killed, check_slow_copy]:
        with tempfile.TemporaryDirectory() as temporary:
            test(temporary)
    return not failures
