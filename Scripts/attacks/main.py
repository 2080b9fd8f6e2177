"""Attacks a server; see Scripts/check-attacks --help."""
import argparse
import multiprocessing
import os
import sys
import time

from attacks import ATTACKS
from control_group import ControlGroup
from target import HEALTH_TIMEOUT, GoodClient, Target, quantile

BEFORE_SECONDS = 3
MAX_RATIO = 2
GOOD_MILLISECONDS = 100
"""A 99th percentile that is good enough whatever it was before: two processors are shared with the attackers."""
COLUMNS = ("attack", "MiB", "outcomes", "peak of group", "of server", "p99 before", "during", "ratio", "health", "result")
DESCRIPTION = """
Starts a server with the default configuration in a control group with little memory, which takes root, attacks it, and
prints a row per attack: the outcomes for the attacker; the peak memory of the group, with worker processes and page cache,
and of the server alone in MiB; the 99th percentile of the latencies of another client in milliseconds before and during the
attack, where a request that fails counts as 10 s; the number of health probes that had no response within a second; and
whether the server passed. It fails if it dies, if a process is killed because the memory is used up, if it is not ready
after the attack, if it does not end with status 0 on SIGTERM, if a probe fails, or if the 99th percentile exceeds both twice
its value before and 100 ms. Ends with status 1 if the server failed.
"""


def main():
    parser = argparse.ArgumentParser(
        prog="Scripts/check-attacks", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attack", action="append", metavar="NAME", help="attack, or prefix of attacks (repeatable; default: all)")
    parser.add_argument("--memory", action="append", type=int, metavar="MIB", help="memory limit (repeatable; default: 256 and 512)")
    parser.add_argument("--minutes", type=float, default=150, help="time after which no further attack begins (default: 150)")
    parser.add_argument("--executable", default=".build/release/tensorio")
    parser.add_argument("--list", action="store_true", help="list the attacks")
    given = parser.parse_args()
    names = given.attack or [""]
    prefixes = tuple(name for name in names if name not in ATTACKS)
    chosen = [name for name in ATTACKS if name in names or name.startswith(prefixes)]
    if given.list or not chosen:
        print("\n".join(ATTACKS))
        return 0 if given.list else 2
    end, failed, skipped = time.monotonic() + 60 * given.minutes, [], []
    print("| " + " | ".join(COLUMNS) + " |\n|" + " --- |" * len(COLUMNS))
    for mebibytes in given.memory or [256, 512]:
        for name in chosen:
            if time.monotonic() > end:
                skipped.append(name)
                continue
            problems, row = run(given.executable, name, ATTACKS[name], mebibytes)
            if problems:
                failed.append(f"{name} ({mebibytes} MiB)")
            print("| " + " | ".join([name, str(mebibytes), *row, ", ".join(problems) or "passed"]) + " |", flush=True)
    if failed:
        print("failed:", ", ".join(failed))
    if skipped:
        print("no time left for:", ", ".join(skipped))
    return 1 if failed or skipped else 0


def run(executable, name, attack, mebibytes):
    """Returns the problems that an attack caused, and the columns of its row."""
    try:
        group = ControlGroup(mebibytes << 20)
    except OSError as error:
        sys.exit(f"error: cannot limit the memory of a server: {error}; run this as root where control groups are writable")
    try:
        target = Target(executable, group, attack.descriptors, attack.stderr)
        try:
            return measure(target, attack)
        finally:
            target.stop()
    finally:
        group.remove()


def measure(target, attack):
    client = GoodClient(target)
    time.sleep(1)
    quiet = time.monotonic()
    time.sleep(BEFORE_SECONDS)
    began = time.monotonic()
    target.begin_attack()
    outcomes = carry_out(attack, target)
    ended = time.monotonic()
    results = client.stop()
    problems = []
    is_ready = target.is_ready(15)
    peak, server_peak, kills = target.group.peak(), target.peak(), target.group.kills()
    died = target.process.poll()
    status = target.stop()
    if died is not None:
        problems.append(f"died ({died})")
    elif not is_ready:
        problems.append("not ready")
    elif status != 0:
        problems.append(f"exit status {status}")
    if kills:
        problems.append(f"{kills} killed for memory")
    before = quantile(results["predict"], 0.99, quiet, began)
    during = quantile(results["predict"], 0.99, began, ended)
    ratio = during / before if before else 0
    if ratio > MAX_RATIO and during > GOOD_MILLISECONDS:
        problems.append("slow")
    probes = [latency for sent, latency in results["health"] if began <= sent < ended]
    missed = sum(latency > HEALTH_TIMEOUT for latency in probes)
    if missed:
        problems.append("probes failed")
    return problems, [
        ", ".join(f"{outcome} ×{count}" for outcome, count in sorted(outcomes.items())) or "none",
        str(peak >> 20), str(server_peak >> 20), f"{before:.1f}", f"{during:.1f}", f"{ratio:.1f}",
        f"{missed} of {len(probes)} missed" if missed else "good"]


def carry_out(attack, target):
    """Runs the clients of an attack in a process that yields to the server and the other client."""
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def act():
        os.nice(10)
        sender.send(attack.act(target.port, attack.seconds))

    process = multiprocessing.Process(target=act)
    process.start()
    outcomes = receiver.recv() if receiver.poll(attack.seconds + 100) else {"unfinished": 1}
    process.terminate()
    process.join()
    return outcomes


if __name__ == "__main__":
    sys.exit(main())
