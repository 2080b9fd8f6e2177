"""The clients of an attack: requests that are repeated, connections that are held open, and responses that are not read."""
import asyncio
import collections
import select
import socket
import time

import http2

RESPONSE_SECONDS = 60
"""The time after which a client gives up."""


async def connect(port, receive_buffer=None):
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.setblocking(False)
    await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", port))
    return connection


async def exchange(connection, request):
    """Sends a request of HTTP/1.1 and discards the response; returns its status."""
    loop = asyncio.get_running_loop()

    async def send():
        try:
            for part in request:
                await loop.sock_sendall(connection, part)
        except OSError:
            pass  # The server may respond before it has received everything.

    sending = asyncio.create_task(send())
    try:
        received = b""
        while b"\r\n\r\n" not in received or received.startswith(b"HTTP/1.1 1"):
            if received.startswith(b"HTTP/1.1 1"):
                received = received.partition(b"\r\n\r\n")[2] if b"\r\n\r\n" in received else received
            part = await loop.sock_recv(connection, 1 << 16)
            if not part:
                return "closed"
            received += part
        head, _, body = received.partition(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
        left = length - len(body)
        while left > 0:
            part = await loop.sock_recv(connection, 1 << 18)
            if not part:
                return "closed"
            left -= len(part)
        return head[9:12].decode()
    finally:
        sending.cancel()


async def outcome_of(action):
    try:
        return await asyncio.wait_for(action, RESPONSE_SECONDS)
    except (asyncio.TimeoutError, TimeoutError):
        return "timeout"
    except EOFError:
        return "closed"
    except OSError:
        return "reset"


async def repeat(port, clients, seconds, send):
    """Lets clients send on new connections one after the other for some seconds; returns how often there was which outcome."""
    outcomes, end = collections.Counter(), time.monotonic() + seconds

    async def once():
        connection = await connect(port)
        try:
            return await send(connection)
        finally:
            connection.close()

    async def client():
        while True:
            outcome = await outcome_of(once())
            outcomes[outcome] += 1
            if time.monotonic() > end:
                return
            if outcome in ("closed", "reset", "timeout"):
                await asyncio.sleep(0.2)

    await asyncio.gather(*(client() for _ in range(clients)))
    return outcomes


def requests(request, clients):
    """Sends requests of HTTP/1.1, each a list of bytes."""
    return lambda port, seconds: asyncio.run(
        repeat(port, clients, seconds, lambda connection: exchange(connection, request())))


def calls(path, body, clients, coding=None):
    """Sends gRPC calls."""

    async def send(connection):
        session = http2.Connection(connection)
        await session.open()
        return await session.call(path, body(), coding)

    return lambda port, seconds: asyncio.run(repeat(port, clients, seconds, send))


def hold(first, clients, trickle=b"", interval=1.0):
    """Opens connections, sends their first bytes and then a few more every second, and waits until the server closes them.

    The first bytes are the same for all clients, or a list for clients that take turns. Clients whose connection is closed do
    not come back.
    """
    firsts = first if isinstance(first, list) else [first]

    async def client(number, port, seconds, outcomes):
        loop, begin = asyncio.get_running_loop(), time.monotonic()
        connection = await connect(port)
        try:
            await loop.sock_sendall(connection, firsts[number % len(firsts)])
            end = begin + seconds
            while (left := end - time.monotonic()) > 0:
                try:
                    part = await asyncio.wait_for(
                        loop.sock_recv(connection, 1 << 16), min(left, interval) if trickle else left)
                    if not part:
                        return outcomes.append(("closed", time.monotonic() - begin))
                except (asyncio.TimeoutError, TimeoutError):
                    if trickle and time.monotonic() < end:
                        await loop.sock_sendall(connection, trickle)
            outcomes.append(("open", seconds))
        except OSError:
            outcomes.append(("closed", time.monotonic() - begin))
        finally:
            connection.close()

    async def run(port, seconds):
        outcomes = []
        await asyncio.gather(*(client(number, port, seconds, outcomes) for number in range(clients)))
        counts = collections.Counter(name for name, _ in outcomes)
        last = max((duration for name, duration in outcomes if name == "closed"), default=0)
        if counts["closed"]:
            counts[f"closed within {last:.0f} s"] = counts.pop("closed")
        return counts

    return lambda port, seconds: asyncio.run(run(port, seconds))


def unread(request, clients):
    """Sends requests and does not read the responses."""

    async def client(port, connections):
        connection = await connect(port, receive_buffer=4096)
        connections.append(connection)
        try:
            for part in request():
                await asyncio.wait_for(asyncio.get_running_loop().sock_sendall(connection, part), RESPONSE_SECONDS)
        except (OSError, asyncio.TimeoutError, TimeoutError):
            pass

    async def run(port, seconds):
        connections, begin = [], time.monotonic()
        await asyncio.gather(*(client(port, connections) for _ in range(clients)))
        await asyncio.sleep(max(0, begin + seconds - time.monotonic()))
        outcomes = collections.Counter()
        for connection in connections:
            poll = select.poll()
            poll.register(connection, 0)
            outcomes["reset" if poll.poll(0) else "open"] += 1
            connection.close()
        return outcomes

    return lambda port, seconds: asyncio.run(run(port, seconds))


def leave(request, clients, delay):
    """Sends requests and closes the connections after some seconds."""

    async def client(port):
        connection = await connect(port)
        try:
            sending = [asyncio.get_running_loop().sock_sendall(connection, part) for part in request()]
            for each in sending:
                await asyncio.wait_for(each, delay)
            await asyncio.sleep(delay)
        except (OSError, asyncio.TimeoutError, TimeoutError):
            pass
        finally:
            connection.close()

    async def run(port, seconds):
        await asyncio.gather(*(client(port) for _ in range(clients)), asyncio.sleep(seconds))
        return collections.Counter(left=clients)

    return lambda port, seconds: asyncio.run(run(port, seconds))
