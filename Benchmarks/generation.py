#!/usr/bin/env python3
"""Compares the generation of text with a loop in Python over ONNX Runtime, and with onnxruntime-genai.

    Benchmarks/generation.py TENSORIO FOLDER [--rounds N]

TENSORIO is a release build of the command. FOLDER is a folder of a model hub with onnx/model_q4.onnx and onnx/model.onnx, whose
attention is GroupQueryAttention. Needs the packages onnxruntime (of the version that the command runs), numpy and tokenizers;
onnxruntime-genai is measured if it is installed.

Each side runs in a process of its own with one thread, one after the other in turns. The time of a token and of the first one is measured
in the process, and includes no opening; so this needs a machine that does nothing else. Peak memory is the kernel's.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

WORDS = "The quick brown fox jumps over the lazy dog while a small bird sings in the old tree near the river . "
COUNT = 48
JOBS = [("decode, int4", "model_q4", 37), ("decode, int4, 1,500 tokens before", "model_q4", 1500),
        ("decode, float32", "model", 37)]


def prompt(folder, length):
    """Returns a text of a number of tokens, and its tokens."""
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    words = (WORDS * (1 + length // 10)).split()
    count = length
    while True:
        text = " ".join(words[:count])
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        if len(ids) <= length:
            return text, ids
        count -= 1


# MARK: Sides, each of which runs in a process of its own


def run_binding(folder, file, text, count):
    """A loop with one buffer for the caches, as the documentation of ONNX Runtime advises."""
    import numpy
    import onnxruntime
    from tokenizers import Tokenizer
    ids = Tokenizer.from_file(f"{folder}/tokenizer.json").encode(text, add_special_tokens=False).ids
    config = json.loads(pathlib.Path(folder, "config.json").read_text())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(f"{folder}/onnx/{file}.onnx", options, providers=["CPUExecutionProvider"])
    bound, limit = session.io_binding(), len(ids) + count
    size = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    for layer in range(config["num_hidden_layers"]):
        for part in ("key", "value"):
            cache = onnxruntime.OrtValue.ortvalue_from_shape_and_type((1, config["num_key_value_heads"], limit, size), numpy.float32)
            bound.bind_ortvalue_input(f"past_key_values.{layer}.{part}", cache)
            bound.bind_ortvalue_output(f"present.{layer}.{part}", cache)

    def step(tokens, done):
        bound.bind_cpu_input("input_ids", numpy.array([tokens], numpy.int64))
        bound.bind_cpu_input("attention_mask", numpy.ones((1, done + len(tokens)), numpy.int64))
        bound.bind_output("logits")
        session.run_with_iobinding(bound)
        return int(next(v for v in bound.get_outputs() if v.shape()[-1] == config["vocab_size"]).numpy()[0, -1].argmax())

    start = time.perf_counter()
    token = 0
    # In parts, as the scores of all tokens take much memory.
    for first in range(0, len(ids), 128):
        token = step(ids[first:first + 128], first)
    prompt_seconds = time.perf_counter() - start
    tokens = [token]
    while len(tokens) < count:
        tokens.append(step(tokens[-1:], len(ids) + len(tokens) - 1))
    return {"prompt_seconds": prompt_seconds, "seconds": time.perf_counter() - start - prompt_seconds, "tokens": tokens}


def run_genai(folder, file, text, count):
    import onnxruntime_genai
    config = onnxruntime_genai.Config(folder)
    config.overlay(json.dumps({"model": {"decoder": {
        "filename": f"onnx/{file}.onnx", "session_options": {"intra_op_num_threads": 1, "inter_op_num_threads": 1}}}}))
    model = onnxruntime_genai.Model(config)
    ids = onnxruntime_genai.Tokenizer(model).encode(text)
    params = onnxruntime_genai.GeneratorParams(model)
    params.set_search_options(do_sample=False, max_length=len(ids) + count)
    generator = onnxruntime_genai.Generator(model, params)
    start = time.perf_counter()
    generator.append_tokens(ids)
    generator.generate_next_token()
    prompt_seconds = time.perf_counter() - start
    tokens = [int(generator.get_next_tokens()[0])]
    while len(tokens) < count:
        generator.generate_next_token()
        tokens.append(int(generator.get_next_tokens()[0]))
    return {"prompt_seconds": prompt_seconds, "seconds": time.perf_counter() - start - prompt_seconds, "tokens": tokens}


# MARK: Measuring


def measured(command, environment=None):
    """Returns what a process printed as JSON, with its processor time and its peak memory."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
    text = process.stdout.read()
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[:3]}: {errors.decode()[-500:]}")
    result = json.loads(text)
    return result | {"processor": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss / 1024}


def side(name, arguments, folder, file, text, count):
    if name == "ours":
        bundle = arguments.bundles[file]
        command = [arguments.tensorio, "generate", bundle, text, "--raw", "--format", "json", "--threads", "1"]
        return measured([*command, "--max-tokens", str(count)])
    command = [sys.executable, __file__, "--side", name, folder, file, text, str(count)]
    return measured(command, {"ORT_DISABLE_TELEMETRY": "1"})


def main():
    parser = argparse.ArgumentParser(usage="%(prog)s TENSORIO FOLDER [--rounds N]")
    parser.add_argument("tensorio")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    peers = ["binding"] + (["genai"] if importlib.util.find_spec("onnxruntime_genai") else [])
    work = pathlib.Path(".build/bench-generation")
    work.mkdir(parents=True, exist_ok=True)
    arguments.bundles = {}
    for file in ("model", "model_q4"):
        arguments.bundles[file] = str(work / f"{file}.tiobundle")
        variant = ["--variant", "q4"] if file == "model_q4" else []
        subprocess.run([arguments.tensorio, "init", arguments.folder, "-o", arguments.bundles[file], "--force", *variant],
                       check=True, stdout=subprocess.DEVNULL)
    print("| job | ours | " + " | ".join(f"{peer} | ratio" for peer in peers) + " |")
    print("|---|---|" + "---|---|" * len(peers))
    for title, file, length in JOBS:
        text, ids = prompt(arguments.folder, length)
        rounds = []
        for number in range(arguments.rounds):
            order = ["ours", *peers]
            order = order[number % len(order):] + order[:number % len(order)]
            results = {name: (side(name, arguments, arguments.folder, file, text, 1),
                              side(name, arguments, arguments.folder, file, text, 1 + COUNT)) for name in order}
            rounds.append({name: {
                "decode": 1000 * many["seconds"] / (len(many["tokens"]) - 1), "first": 1000 * one["prompt_seconds"],
                "whole": one["processor"], "peak": one["peak"], "tokens": many["tokens"]} for name, (one, many) in results.items()})
        for peer in peers:
            if rounds[0][peer]["tokens"] != rounds[0]["ours"]["tokens"]:
                print(f"note: {peer} has other tokens in '{title}'", file=sys.stderr)
        rows = [(title, "decode", "ms"), (f"first token of {len(ids)}", "first", "ms")]
        if length == JOBS[0][2]:
            rows += [(f"open and first token, {file}", "whole", "s of processor time"), (f"peak memory, {file}", "peak", "MB")]
        for row, key, unit in rows:
            digits = 2 if unit.startswith("s ") else 1
            ours = statistics.median(one["ours"][key] for one in rounds)
            cells = [f"{ours:.{digits}f} {unit}"]
            for peer in peers:
                value = statistics.median(one[peer][key] for one in rounds)
                ratio = statistics.median(one["ours"][key] / one[peer][key] for one in rounds)
                cells += [f"{value:.{digits}f}", f"{ratio:.2f}"]
            print(f"| {row} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        name, folder, file, text, count = sys.argv[2:]
        run = {"binding": run_binding, "genai": run_genai}[name]
        print(json.dumps(run(folder, file, text, int(count))))
    else:
        main()
