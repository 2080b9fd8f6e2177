"""The server that is attacked, and the client whose requests must not suffer."""
import http.client
import multiprocessing
import os
import signal
import socket
import subprocess
import time

from project_files import ROOT

BUNDLES = os.path.join(ROOT, "Examples/Bundles/")
NAMES = ["diabetes", "digits", "pencil", "shape-detector", "style-transform", "tones", "topics"]
GOOD_PATH = "/v2/models/diabetes/predict"
GOOD_BODY = b"[61,1,25.8,90,280,195.4,55,5,5,90]"
JSON = {"Content-Type": "application/json"}
TIMEOUT = 10
"""The seconds after which a request of the good client has failed, which is also its latency then."""
HEALTH_TIMEOUT = 1
"""The default timeout of a probe of Kubernetes, in seconds."""


class Target:
    """A server with some of the example bundles in a control group.

    `stderr` is what becomes of its log: "discarded", "closed" (the reader has ended) or "stalled" (it does not read).
    """

    def __init__(self, executable, group, descriptors=None, stderr="discarded"):
        self.group, self.stderr = group, stderr
        script = group.command
        if descriptors:
            script += f"; ulimit -n {descriptors}"
        words = [executable, "serve", *(f"{BUNDLES}{name}.tiobundle" for name in NAMES)]
        reader, writer = os.pipe()
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", script + '; exec "$@"', "sh", *words, "--port", "0"],
            stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL if stderr == "discarded" else writer,
            env=dict(os.environ, TENSORIO_DEFAULT_MODEL="diabetes"))
        os.close(writer)
        self.reader = reader
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server ended with status {self.process.wait()} at its start")
        self.port = int(line.rsplit(":", 1)[1])
        if not self.is_ready(30):
            raise RuntimeError("the server is not ready")

    def begin_attack(self):
        """Ends the reader of the log if the attack is about that."""
        if self.stderr == "closed":
            self._close_log()

    def _close_log(self):
        if self.reader is not None:
            os.close(self.reader)
        self.reader = None

    def send(self, method, path, body=None, timeout=5):
        """Returns the status of a request on a connection of its own; 0 if there is none."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            client.request(method, path, body, JSON if body else {})
            return client.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            client.close()

    def is_ready(self, seconds):
        """Whether the server is ready and predicts within some seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            if self.send("GET", "/v2/health/ready") == 200 and self.send("POST", GOOD_PATH, GOOD_BODY) == 200:
                return True
            time.sleep(0.2)
        return False

    def peak(self):
        """Returns the peak memory of the server's process alone, in bytes."""
        try:
            with open(f"/proc/{self.process.pid}/status") as file:
                return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))
        except (OSError, StopIteration):
            return 0

    def stop(self):
        """Stops the server as a supervisor does; returns its exit status."""
        status = self.process.poll()
        if status is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                status = self.process.wait(40)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                status = "none"
        self.process.stdout.close()
        self._close_log()
        return status


class GoodClient:
    """A client that sends a small request after the other, and probes the health of the server on new connections."""

    def __init__(self, target):
        self.target = target
        self.stopping = multiprocessing.Event()
        self.results = multiprocessing.SimpleQueue()
        self.processes = [
            multiprocessing.Process(target=self._repeat, args=arguments, daemon=True)
            for arguments in [("predict", self._predict, 0.01), ("health", self._probe, 0.1)]]
        for process in self.processes:
            process.start()

    def stop(self):
        """Returns the results: by name, pairs of the time when a request was sent and its latency in seconds."""
        self.stopping.set()
        results = dict(self.results.get() for _ in self.processes)
        for process in self.processes:
            process.join()
        return results

    def _repeat(self, name, send, pause):
        results, self.connection = [], None
        while not self.stopping.is_set():
            begin = time.monotonic()
            is_good = send()
            results.append((begin, time.monotonic() - begin if is_good else TIMEOUT))
            time.sleep(pause)
        self.results.put((name, results))

    def _predict(self):
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.target.port, timeout=TIMEOUT)
                self.connection.connect()
                self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connection.request("POST", GOOD_PATH, GOOD_BODY, JSON)
            response = self.connection.getresponse()
            response.read()
            if response.status == 200:
                return True
        except (OSError, http.client.HTTPException):
            pass
        if self.connection is not None:
            self.connection.close()
        self.connection = None
        time.sleep(0.1)
        return False

    def _probe(self):
        return self.target.send("GET", "/v2/health/live", timeout=HEALTH_TIMEOUT) == 200


def quantile(results, share, begin, end):
    """Returns a quantile of the latencies of requests that were sent between two times, in milliseconds."""
    values = sorted(latency for sent, latency in results if begin <= sent < end)
    return 1000 * values[min(len(values) - 1, int(len(values) * share))] if values else 0.0
