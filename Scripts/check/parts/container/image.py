"""Scripts/check/parts/container/image.py FOLDER: runs the unpacked image in FOLDER/bundle, and sends requests to it.

The container has the arguments, the user and the probes of the manifests in Deployment/. Its network is a
namespace of its own, in which this program sends requests. Exits with status 1 if a check fails.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[4]
FOLDER = pathlib.Path(sys.argv[1]).resolve()
MAX_MEGABYTES = 130
BUNDLE = "Examples/Bundles/digits.tiobundle"
failures = []


def check(name, is_right, evidence=""):
    """Prints a result, with the evidence if the check fails."""
    print(f"ok     {name}" if is_right else f"FAILED {name}: {evidence}", flush=True)
    if not is_right:
        failures.append(name)


def manifest(path):
    with open(ROOT / "Deployment" / path) as file:
        return yaml.safe_load(file)


def arguments(container, name=""):
    """Returns the arguments of a container with the values that Kubernetes and KServe put in."""
    values = {"{{.Name}}": name, "$(PROCESSORS)": container["resources"]["requests"]["cpu"]}
    words = container["args"]
    for text, value in values.items():
        words = [word.replace(text, value) for word in words]
    return words


class Container:
    """A running container, which ends with the `with` block."""

    def __init__(self, name, arguments, models, environment=()):
        self.name, self.bundle = name, FOLDER / name
        with open(FOLDER / "bundle/config.json") as file:
            config = json.load(file)
        entrypoint = config["process"]["args"][:1]
        config["process"].update(
            args=entrypoint + arguments, terminal=False, noNewPrivileges=True,
            capabilities={kind: [] for kind in ("bounding", "effective", "inheritable", "permitted", "ambient")})
        config["process"]["env"] += environment
        config["root"] = {"path": str(FOLDER / "bundle/rootfs"), "readonly": True}
        config["mounts"].append({
            "destination": "/mnt/models", "type": "bind", "source": str(models), "options": ["rbind", "ro"]})
        config["linux"]["resources"] = {}
        self.config = config

    def __enter__(self):
        shutil.rmtree(self.bundle, ignore_errors=True)
        self.bundle.mkdir(parents=True)
        with open(self.bundle / "config.json", "w") as file:
            json.dump(self.config, file)
        self.log = open(self.bundle / "log", "w")
        self.process = subprocess.Popen(
            ["runc", "run", "--bundle", str(self.bundle), self.name],
            stdout=self.log, stderr=subprocess.STDOUT)
        state = wait_for(self.state)
        check(f"{self.name}: the container starts", state is not None, self.output())
        self.pid = state["pid"] if state else None
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            subprocess.run(["runc", "kill", self.name, "KILL"], capture_output=True)
        self.process.wait(timeout=30)
        self.log.close()
        subprocess.run(["runc", "delete", "--force", self.name], capture_output=True)
        shutil.rmtree(self.bundle)

    def state(self):
        done = subprocess.run(["runc", "state", self.name], capture_output=True, text=True)
        state = json.loads(done.stdout) if done.returncode == 0 else {}
        return state if state.get("status") == "running" else None

    def output(self):
        return (self.bundle / "log").read_text()

    def request(self, path, body=None, headers=(), port=8080):
        """Sends a request inside the container's network; returns the status and the body."""
        code = (
            "import sys, urllib.request, urllib.error, json\n"
            "path, body, headers = json.load(sys.stdin)\n"
            "data = None if body is None else bytes.fromhex(body)\n"
            f"request = urllib.request.Request('http://127.0.0.1:{port}' + path, data, dict(headers))\n"
            "try:\n"
            "  response = urllib.request.urlopen(request, timeout=60)\n"
            "except urllib.error.HTTPError as error:\n"
            "  response = error\n"
            "except OSError as error:\n"
            "  print(json.dumps([0, str(error)])); sys.exit()\n"
            "print(json.dumps([response.status, response.read().decode(errors='replace')]))\n")
        done = subprocess.run(
            ["nsenter", f"--net=/proc/{self.pid}/ns/net", sys.executable, "-c", code],
            input=json.dumps([path, body.hex() if body else None, list(headers)]), capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else [0, done.stderr]

    def probe(self, probe, expected=200):
        """Repeats the HTTP probe of a manifest as often as Kubernetes would."""
        path = probe["httpGet"]["path"]
        for _ in range(probe.get("failureThreshold", 3)):
            status, _ = self.request(path)
            if status == expected:
                return True
            time.sleep(probe["periodSeconds"])
        return False

    def status_of_process(self):
        with open(f"/proc/{self.pid}/status") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.1)
    return None


def check_size():
    total = sum(path.lstat().st_size for path in (FOLDER / "bundle/rootfs").rglob("*") if not path.is_dir())
    check(f"the image's files have {total / 1e6:.1f} MB, at most {MAX_MEGABYTES}", total <= MAX_MEGABYTES * 1_000_000)
    shells = [path for path in ("bin/sh", "usr/bin/sh", "usr/bin/apt", "usr/bin/dpkg")
              if (FOLDER / "bundle/rootfs" / path).exists()]
    check("no shell or package manager", not shells, shells)


def check_kserve(image):
    """The runtime's container, with the folder of one bundle as KServe mounts it."""
    container = manifest("kserve/cluster-serving-runtime.yaml")["spec"]["containers"][0]
    with Container("tensorio-kserve", arguments(container, "my-digits"), ROOT / BUNDLE) as server:
        check("kserve: startup probe", server.probe(container["startupProbe"]), server.output()[-500:])
        check("kserve: readiness probe", server.probe(container["readinessProbe"]))
        check("kserve: liveness probe", server.probe(container["livenessProbe"]))
        status = server.status_of_process()
        user = container["securityContext"]["runAsUser"]
        check("kserve: the user is unprivileged", status["Uid"].split("\t")[0] == str(user), status["Uid"])
        check("kserve: no capabilities", int(status["CapEff"], 16) == 0 and int(status["CapBnd"], 16) == 0)
        check("kserve: no new privileges", status["NoNewPrivs"] == "1")
        code, text = server.request("/v2/models/my-digits/predict", image, [("Content-Type", "image/png")])
        check("kserve: an image is classified",
              code == 200 and json.loads(text)["outputs"]["classification"][0]["label"] == "3", text[:120])
        values = [[[[0.0]] * 32] * 32]
        code, text = server.request(
            "/v1/models/my-digits:predict", json.dumps({"instances": values}).encode(),
            [("Content-Type", "application/json")])
        check("kserve: V1 protocol", code == 200 and len(json.loads(text)["predictions"]) == 1, text[:120])
        code, text = server.request("/v2/models/my-digits")
        check("kserve: V2 protocol", code == 200 and json.loads(text)["name"] == "my-digits", text[:120])
        end_with_sigterm(server, "kserve")


def check_kserve_agent(image):
    """The runtime of several models, as KServe's agent adds and removes them."""
    container = manifest("kserve/multi-model-runtime.yaml")["spec"]["containers"][0]
    models = FOLDER / "models"
    shutil.rmtree(models, ignore_errors=True)
    models.mkdir()
    with Container("tensorio-kserve-agent", arguments(container), models) as server:
        check("kserve agent: ready without models", server.probe(container["readinessProbe"]), server.output()[-500:])
        shutil.copytree(ROOT / BUNDLE, models / "numbers")
        code, text = server.request("/v2/repository/models/numbers/load", b"{}")
        check("kserve agent: a model is loaded", code == 200, text[:200])
        code, text = server.request("/v2/models/numbers/predict", image, [("Content-Type", "image/png")])
        check("kserve agent: an image is classified", code == 200, text[:120])
        code, text = server.request("/v2/repository/models/numbers/unload", b"{}")
        check("kserve agent: a model is unloaded", code == 200, text[:120])
        code, _ = server.request("/v2/models/numbers/ready")
        check("kserve agent: an unloaded model is not ready", code != 200, code)
        end_with_sigterm(server, "kserve agent")


def check_deployment(image):
    """The plain Deployment, with a folder of bundles and a token."""
    container = manifest("kubernetes/deployment.yaml")["spec"]["template"]["spec"]["containers"][0]
    with Container(
            "tensorio-deployment", arguments(container), ROOT / "Examples/Bundles", ["TENSORIO_TOKEN=secret"]) as server:
        check("deployment: startup probe", server.probe(container["startupProbe"]), server.output()[-500:])
        check("deployment: liveness probe", server.probe(container["livenessProbe"]))
        headers = [("Content-Type", "image/png")]
        code, _ = server.request("/v2/models/digits/predict", image, headers)
        check("deployment: requests need the token", code == 401, code)
        token = ("Authorization", "Bearer secret")
        code, text = server.request("/v2/models/digits/predict?annotate=1", image, headers + [token])
        check("deployment: an image is annotated", code == 200 and "PNG" in text[:8], text[:100])
        code, _ = server.request("/metrics")
        check("deployment: metrics need the token", code == 401, code)
        code, text = server.request("/metrics", port=8082)
        metric = "tensorio_http_request_queue_duration_seconds_count"
        check("deployment: the autoscaler's metric", code == 200 and f"\n{metric} " in text)
        end_with_sigterm(server, "deployment")


def end_with_sigterm(server, name):
    os.kill(server.pid, signal.SIGTERM)
    code = server.process.wait(timeout=40)
    check(f"{name}: SIGTERM ends it", code == 0, f"status {code}")


def main():
    image = (ROOT / BUNDLE / "samples/3-1.png").read_bytes()
    check_size()
    check_kserve(image)
    check_kserve_agent(image)
    check_deployment(image)
    if failures:
        sys.exit(f"{len(failures)} checks failed: {', '.join(failures)}")
    print("all checks passed")


main()
