"""Serves the files of a folder on the loopback, and misbehaves where a test asks it to.

server.py FOLDER prints its port and ends by itself after two minutes.
"""

import hashlib
import http.server
import json
import os
import sys
import threading
import time
import urllib.parse

FOLDER = sys.argv[1]
# Paths that were requested before.
SEEN = set()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        kind, _, rest = urllib.parse.unquote(self.path).lstrip("/").partition("/")
        getattr(self, "give_" + kind, self.give_nothing)(rest)

    def give_nothing(self, rest):
        self.send_error(404)

    def give_file(self, name):
        self.give(self.contents(name))

    def give_redirect(self, rest):
        count, _, name = rest.partition("/")
        target = f"/redirect/{int(count) - 1}/{name}" if int(count) > 1 else f"/file/{name}"
        self.send_to(target)

    def give_elsewhere(self, name):
        self.send_to(f"file://{os.path.abspath(os.path.join(FOLDER, name))}")

    def give_stall(self, name):
        """Gives a beginning and then nothing more."""
        self.give(self.contents(name)[:100], promised=1_000_000)
        time.sleep(60)

    def give_less(self, name):
        """Promises more bytes than it gives."""
        bytes = self.contents(name)
        self.give(bytes, promised=len(bytes) + 1000)

    def give_more(self, name):
        """Promises fewer bytes than it gives."""
        bytes = self.contents(name)
        self.give(bytes, promised=len(bytes) // 2)

    def give_endless(self, name):
        """Says nothing about the length, and goes on for ever."""
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(bytes(1 << 16))

    def give_slow(self, name):
        """Gives as much a second as is not a stall."""
        self.send_response(200)
        self.send_header("Content-Length", "1000000000")
        self.end_headers()
        while True:
            self.wfile.write(bytes(4000))
            self.wfile.flush()
            time.sleep(0.1)

    def give_hub(self, rest):
        """Answers as a hub does: a list of the files in the folder `repository`, and redirections to large ones.

        The file `commit` has the id of the last commit. Each file whose name has `busy` in it is too much at first.
        """
        with open(os.path.join(FOLDER, "requests"), "a") as file:
            file.write(f"{rest} {self.headers.get('Range', '')}\n")
        if "busy" in rest and rest not in SEEN:
            SEEN.add(rest)
            self.send_response(429)
            self.send_header("Retry-After", "0")
            self.end_headers()
            return
        with open(os.path.join(FOLDER, "commit")) as file:
            commit = file.read()
        root = os.path.join(FOLDER, "repository")
        if rest.startswith("api/models/owner/name/revision/"):
            revision = rest.removeprefix("api/models/owner/name/revision/").removesuffix("?blobs=true")
            if revision not in ("main", commit):
                return self.send_error(404)
            siblings = []
            for folder, _, names in os.walk(root):
                for name in names:
                    path = os.path.join(folder, name)
                    with open(path, "rb") as file:
                        content = file.read()
                    entry = {"rfilename": os.path.relpath(path, root), "size": len(content)}
                    if name.endswith((".onnx", "_data")):
                        entry["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
                    siblings.append(entry)
            siblings.append({"rfilename": "../outside.json", "size": 1})
            return self.give(json.dumps({"sha": commit, "siblings": siblings}).encode())
        prefix = f"owner/name/resolve/{commit}/"
        if not rest.startswith(prefix):
            return self.send_error(404)
        name = rest.removeprefix(prefix)
        if name.endswith((".onnx", "_data")):
            return self.send_to(f"/store/{name}")
        with open(os.path.join(root, name), "rb") as file:
            self.give(file.read())

    def give_store(self, name):
        """Gives a part of a file of the repository; the first time only a half of one with `cut` in its name."""
        with open(os.path.join(FOLDER, "repository", name), "rb") as file:
            content = file.read()
        tag = f'"{hashlib.sha256(content).hexdigest()}"'
        start = self.headers.get("Range", "").removeprefix("bytes=").removesuffix("-")
        if start and self.headers.get("If-Range") == tag:
            self.send_response(206)
            content = content[int(start):]
        else:
            self.send_response(200)
        self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        isCut = "cut" in name and name not in SEEN
        SEEN.add(name)
        self.wfile.write(content[: len(content) // 2] if isCut else content)
        self.wfile.flush()

    def contents(self, name):
        with open(os.path.join(FOLDER, os.path.basename(name)), "rb") as file:
            return file.read()

    def send_to(self, target):
        self.send_response(302)
        self.send_header("Location", target)
        self.end_headers()

    def give(self, bytes, promised=None):
        self.send_response(200)
        self.send_header("Content-Length", str(len(bytes) if promised is None else promised))
        self.end_headers()
        self.wfile.write(bytes)
        self.wfile.flush()

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Timer(120, lambda: os._exit(0)).start()
print(server.server_address[1], flush=True)
server.serve_forever()
