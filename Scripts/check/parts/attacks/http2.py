"""The frames of HTTP/2 and the messages of gRPC, as far as attacks need them."""
import asyncio
import struct

from formats import field, varint

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, WINDOW_UPDATE, CONTINUATION, GOAWAY, RESET = 0, 1, 4, 8, 9, 7, 3
END_STREAM, END_HEADERS, ACKNOWLEDGED = 1, 4, 1
FRAME_BYTES = 16384
DEFAULT_WINDOW = 65535
MAX_WINDOW = (1 << 31) - 1


def frame(kind, flags, stream, content=b""):
    return struct.pack(">I", len(content))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + content


def settings(window=MAX_WINDOW):
    """Returns the start of a connection of a client, whose table for header fields is empty so that statuses can be read."""
    begin = PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HIHI", 1, 0, 4, window))
    if window > DEFAULT_WINDOW:
        begin += frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", MAX_WINDOW - DEFAULT_WINDOW))
    return begin


def text(value):
    return bytes([len(value)]) + value.encode()


def fields(path, coding=None):
    """Returns the header fields of a gRPC call."""
    block = b"\x83\x86\x04" + text(path) + b"\x01" + text("localhost")
    block += b"\x0f\x10" + text("application/grpc") + b"\x00" + text("te") + text("trailers")
    return block + (b"\x00" + text("grpc-encoding") + text(coding) if coding else b"")


def message(content, is_compressed=False):
    return struct.pack(">?I", is_compressed, len(content)) + content


def tensorflow_predict(model, input_name, shape, values):
    """Returns a request of TensorFlow Serving whose tensor repeats the last of some numbers."""
    axes = b"".join(field(2, field(1, length)) for length in shape)
    tensor = field(1, 1) + field(2, axes) + field(5, struct.pack(f"<{len(values)}f", *values))
    return field(1, field(1, model)) + field(2, field(1, input_name) + field(2, tensor))


def inference(model, inputs, raw=()):
    """Returns a request of the Open Inference Protocol; inputs are names, datatypes, shapes and strings."""
    result = field(1, model)
    for name, datatype, shape, strings in inputs:
        tensor = field(1, name) + field(2, datatype) + field(3, b"".join(map(varint, shape)))
        if strings:
            tensor += field(5, b"".join(field(8, string) for string in strings))
        result += field(5, tensor)
    return result + b"".join(field(7, content) for content in raw)


PREDICT = "/tensorflow.serving.PredictionService/Predict"
INFER = "/inference.GRPCInferenceService/ModelInfer"

CODES = {"g": "100110", "r": "101100", "p": "101011", "c": "00100", "-": "010110", "s": "01000",
         "t": "01001", "a": "00011", "u": "101101"}


def huffman(value):
    bits = "".join(CODES[each] for each in value)
    bits += "1" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


STATUS_NAMES = {b"grpc-status", huffman("grpc-status")}


def grpc_status(block):
    """Returns the value of `grpc-status` in header fields that are not indexed; `None` without it."""
    position = 0

    def integer(bits):
        nonlocal position
        mask = (1 << bits) - 1
        value = block[position] & mask
        position += 1
        shift = 0
        while value >= mask and (shift or value == mask):
            byte = block[position]
            position += 1
            value += (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        return value

    def string():
        nonlocal position
        length = integer(7)
        position += length
        return block[position - length:position]

    while position < len(block):
        first = block[position]
        if first & 0x80:
            integer(7)
        elif first & 0xE0 == 0x20:
            integer(5)
        else:
            name = None if integer(6 if first & 0x40 else 4) else string()
            value = string()
            if name in STATUS_NAMES:
                return value.decode(errors="replace")
    return None


class Connection:
    """A connection of a client that makes calls one after the other."""

    def __init__(self, socket):
        self.loop, self.socket, self.received = asyncio.get_running_loop(), socket, b""
        self.stream, self.window, self.initial, self.stream_window = -1, DEFAULT_WINDOW, DEFAULT_WINDOW, 0

    async def open(self):
        await self.loop.sock_sendall(self.socket, settings())

    async def call(self, path, body, coding=None):
        """Sends a call; returns its outcome."""
        self.stream, self.stream_window = self.stream + 2, self.initial
        await self._send(frame(HEADERS, END_HEADERS, self.stream, fields(path, coding)))
        content = memoryview(body)
        while content:
            while min(self.window, self.stream_window) <= 0:
                if outcome := await self._receive():
                    return outcome
            part = content[:min(FRAME_BYTES, self.window, self.stream_window)]
            content = content[len(part):]
            self.window, self.stream_window = self.window - len(part), self.stream_window - len(part)
            await self._send(frame(DATA, 0 if content else END_STREAM, self.stream, bytes(part)))
        while True:
            if outcome := await self._receive():
                return outcome

    async def _send(self, content):
        await self.loop.sock_sendall(self.socket, content)

    async def _read(self, count):
        while len(self.received) < count:
            part = await self.loop.sock_recv(self.socket, 1 << 18)
            if not part:
                raise EOFError
            self.received += part
        result, self.received = self.received[:count], self.received[count:]
        return result

    async def _receive(self):
        head = await self._read(9)
        kind, flags, stream = head[3], head[4], struct.unpack(">I", head[5:])[0]
        content = await self._read(int.from_bytes(head[:3], "big"))
        if kind == SETTINGS and not flags & ACKNOWLEDGED:
            for start in range(0, len(content), 6):
                name, value = struct.unpack(">HI", content[start:start + 6])
                if name == 4:
                    self.stream_window, self.initial = self.stream_window + value - self.initial, value
            await self._send(frame(SETTINGS, ACKNOWLEDGED, 0))
        elif kind == WINDOW_UPDATE:
            increment = struct.unpack(">I", content)[0]
            if stream:
                self.stream_window += increment
            else:
                self.window += increment
        elif kind == HEADERS and flags & END_STREAM:
            return f"grpc {grpc_status(content)}"
        elif kind == RESET and stream == self.stream:
            return "stream reset"
        elif kind == GOAWAY:
            return "goaway"
        return None
