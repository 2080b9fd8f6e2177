"""Clients of streams: texts that a small decoder writes token by token."""
import json
import os
import socket
import urllib.request

from running import BUNDLE
from project_files import ROOT

DECODER = os.path.join(ROOT, "Tests/Fixtures/Bundles/decoder-growing.tiobundle")
BUNDLES = [DECODER, BUNDLE]
GAUGES = ["tensorio_requests_queued", "tensorio_requests_in_flight", "tensorio_request_memory_bytes",
          'vllm:num_requests_running{model_name="decoder-growing",version="1"}',
          'vllm:num_requests_waiting{model_name="decoder-growing",version="1"}']
"""What is 0 when no request is left."""


def request(tokens):
    """Returns the bytes of a request whose response has the same texts each time, after which the server closes the connection."""
    body = json.dumps({"model": "decoder-growing", "prompt": "abc", "max_tokens": tokens, "stream": True, "seed": 1, "temperature": 1})
    return (f"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}").encode()


def begin(port, tokens, buffer=None, timeout=600):
    """Returns the socket of a client that has sent a request; `buffer` bounds what the system receives for a client that does not read."""
    client = socket.socket()
    if buffer:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    client.settimeout(timeout)
    client.connect(("127.0.0.1", port))
    client.sendall(request(tokens))
    return client


def text(response):
    """Returns the text of a whole response; `None` if it is not one."""
    if not response.startswith(b"HTTP/1.1 200") or b"data: [DONE]" not in response:
        return None
    lines = [line[6:] for line in response.split(b"\n") if line.startswith(b"data: {")]
    return "".join(json.loads(line)["choices"][0]["text"] for line in lines)


def received(client):
    """Returns the bytes that a client receives until the connection is closed."""
    parts = []
    while part := client.recv(65536):
        parts.append(part)
    client.close()
    return b"".join(parts)


def gauges(server):
    """Returns the values of the server's metrics that are not 0 although no request should be left."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.http_port}/metrics") as response:
        values = dict(line.rsplit(" ", 1) for line in response.read().decode().splitlines() if not line.startswith("#"))
    return {name: values[name] for name in GAUGES if float(values[name]) != 0}
