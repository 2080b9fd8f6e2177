"""What the comparisons of servers have in common."""

import socket
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def save_table(name, text):
    """Replaces what Benchmarks/README.md has between the marks of a table."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = README.read_text().split(begin)
    README.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}")
