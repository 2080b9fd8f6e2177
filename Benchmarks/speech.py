#!/usr/bin/env python3
"""Compares the transcription of recordings with faster-whisper, which has the same weights.

    Benchmarks/speech.py TENSORIO FOLDER WEIGHTS LONG.wav SHORT.wav [--rounds N] [--variant quantized]

TENSORIO is a release build of the command. FOLDER is a folder of a model hub, and WEIGHTS one with the same model as faster-whisper reads
it. Needs the package faster-whisper.

Each side runs in a process of its own with one thread, one after the other in turns, greedily and without times of words. The time of a
recording is processor time: the difference between both recordings, which contains no opening, is divided by the difference of their
lengths. Peak memory is the kernel's. The first partial text is that of the short recording, which arrives as it would be spoken once the
model is open; its time begins with the first sample that can be heard.
"""

import argparse
import array
import json
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time
import wave

# The time in which a model is opened, before sound arrives.
OPENING = 4


def run_peer(weights, recording, kind):
    import faster_whisper
    model = faster_whisper.WhisperModel(weights, device="cpu", compute_type=kind, cpu_threads=1, num_workers=1)
    segments, _ = model.transcribe(
        recording, beam_size=1, language="en", temperature=[0, 0.2, 0.4, 0.6, 0.8, 1], condition_on_previous_text=True)
    return {"text": "".join(segment.text for segment in segments)}


def measured(command):
    """Returns what a process printed as JSON, with its processor time and its peak memory."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "OMP_NUM_THREADS": "1"})
    text = process.stdout.read()
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[:3]}: {errors.decode()[-500:]}")
    return json.loads(text) | {"processor": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss / 1024}


def seconds(path):
    with wave.open(path) as file:
        return file.getnframes() / file.getframerate()


def first_partial(command, path):
    """Returns the seconds from the beginning of speech in a recording of 16 bits, which arrives in real time, to the first text."""
    with wave.open(path) as file:
        size = file.getnchannels() * file.getsampwidth()
        rate, frames = file.getframerate() * size, file.readframes(file.getnframes())
    content = pathlib.Path(path).read_bytes()
    head = len(content) - len(frames)
    heard = next(index for index, sample in enumerate(array.array("h", frames)) if abs(sample) > 500) * 2 / rate
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
    begin = time.monotonic() + OPENING

    def feed():
        process.stdin.write(content[:head])
        for position in range(0, len(frames), rate // 20 // size * size):
            time.sleep(max(0, begin + position / rate - time.monotonic()))
            process.stdin.write(frames[position:position + rate // 20 // size * size])
        process.stdin.close()

    threading.Thread(target=feed, daemon=True).start()
    process.stdout.readline()
    found = time.monotonic() - begin - heard
    process.stdout.read()
    process.wait()
    return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    for name in ("tensorio", "folder", "weights", "long", "short"):
        parser.add_argument(name)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--variant")
    arguments = parser.parse_args()
    bundle = pathlib.Path(".build/bench-speech.tiobundle")
    variant = ["--variant", arguments.variant] if arguments.variant else []
    subprocess.run([arguments.tensorio, "init", arguments.folder, "-o", bundle, "--force", *variant], check=True, stdout=subprocess.DEVNULL)
    kind = "int8" if arguments.variant else "float32"
    sides = {
        "ours": lambda path: [arguments.tensorio, "transcribe", str(bundle), path, "--format", "json", "--threads", "1"],
        "peer": lambda path: [sys.executable, __file__, "--side", arguments.weights, path, kind]}
    rounds = []
    for number in range(arguments.rounds):
        order = list(sides) if number % 2 == 0 else list(sides)[::-1]
        rounds.append({name: (measured(sides[name](arguments.long)), measured(sides[name](arguments.short))) for name in order})
    if rounds[0]["ours"][0]["text"].strip() != rounds[0]["peer"][0]["text"].strip():
        print("note: the texts differ", file=sys.stderr)
    length = seconds(arguments.long) - seconds(arguments.short)
    rows = {
        f"a minute of speech, {kind}": (lambda side: 60 * (side[0]["processor"] - side[1]["processor"]) / length, "s of processor time"),
        f"open and {seconds(arguments.short):.0f} s, {kind}": (lambda side: side[1]["processor"], "s of processor time"),
        f"peak memory, {kind}": (lambda side: side[0]["peak"], "MB")}
    print("| job | ours | peer | ratio |\n|---|---|---|---|")
    for title, (read, unit) in rows.items():
        values = {name: statistics.median(read(one[name]) for one in rounds) for name in sides}
        ratio = statistics.median(read(one["ours"]) / read(one["peer"]) for one in rounds)
        print(f"| {title} | {values['ours']:.2f} {unit} | {values['peer']:.2f} | {ratio:.2f} |")
    live = [arguments.tensorio, "transcribe", str(bundle), "-", "--partial"]
    partial = statistics.median(first_partial(live, arguments.short) for _ in range(arguments.rounds))
    print(f"| first partial text, {kind} | {partial:.2f} s | | |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        print(json.dumps(run_peer(*sys.argv[2:])))
    else:
        main()
