"""A control group that limits the memory of a server."""
import os
import time

ROOT = "/sys/fs/cgroup"


class ControlGroup:
    """A memory limit for the processes that join, by version 1 or 2 of control groups.

    Raises OSError without the rights for it.
    """

    def __init__(self, limit):
        is_first_version = os.path.isdir(ROOT + "/memory")
        self.folder = f"{ROOT}/memory/" if is_first_version else f"{ROOT}/"
        self.folder += f"tensorio-attacks-{os.getpid()}"
        if is_first_version:
            maximum, swap, self.peak_file = "limit_in_bytes", "swappiness", "max_usage_in_bytes"
            self.events_file = "oom_control"
        else:
            with open(ROOT + "/cgroup.subtree_control", "w") as file:
                file.write("+memory")
            maximum, swap, self.peak_file, self.events_file = "max", "swap.max", "peak", "events"
        os.mkdir(self.folder)
        try:
            self._write(maximum, limit)
            self._write(swap, 0)
        except OSError:
            os.rmdir(self.folder)
            raise

    @property
    def command(self):
        """The shell command with which a process joins."""
        return f"echo $$ > {self.folder}/cgroup.procs"

    def peak(self):
        """Returns the largest number of bytes that were used, with worker processes and page cache."""
        return int(self._read(self.peak_file))

    def kills(self):
        """Returns the number of processes that were killed because the memory was used up."""
        for line in self._read(self.events_file).splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
        return 0

    def remove(self):
        """Removes the group; its processes may take a moment to end."""
        for _ in range(200):
            try:
                return os.rmdir(self.folder)
            except OSError:
                time.sleep(0.1)
        print("processes are left in", self.folder)

    def _read(self, name):
        with open(f"{self.folder}/memory.{name}") as file:
            return file.read()

    def _write(self, name, value):
        with open(f"{self.folder}/memory.{name}", "w") as file:
            file.write(str(value))
