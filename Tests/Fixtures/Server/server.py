"""Serves the files of a folder on the loopback, and misbehaves where a test asks it to.

server.py FOLDER prints its port and ends by itself after two minutes.
"""

import http.server
import os
import sys
import threading
import time
import urllib.parse

FOLDER = sys.argv[1]


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
