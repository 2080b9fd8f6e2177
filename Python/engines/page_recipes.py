"""Runs what Documentation/Engines.md and Documentation/Scale.md show: their examples and the commands of their transcripts.

python page_recipes.py HEADING    runs the transcript below a heading of Engines.md in a new folder, and prints its output
"""

import ast
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "Documentation" / "Engines.md"
BUNDLES = ROOT / "Examples" / "Bundles"
ROWS = 20_000


def blocks(heading: str, language: str, page: pathlib.Path = PAGE) -> list[str]:
    """Returns the code blocks of a language, or of none, below a heading."""
    section = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^##+ |\Z)", page.read_text(), re.DOTALL | re.MULTILINE)
    assert section is not None, f"{page.name} has no section '{heading}'"
    found = re.findall(r"^```(\w*)\n(.*?)^```$", section[1], re.DOTALL | re.MULTILINE)
    return [text for name, text in found if name == language]


def make_folder(folder: pathlib.Path) -> None:
    """Makes the files that the examples name: bundles, rows, images, and the programs of Deployment."""
    import numpy
    import pyarrow
    import pyarrow.parquet

    for name in ("diabetes", "digits", "shape-detector"):
        shutil.copytree(BUNDLES / f"{name}.tiobundle", folder / f"{name}.tiobundle")
    features = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
    values = numpy.random.default_rng(0).normal(size=(ROWS, 10)).astype(numpy.float32)
    (folder / "rows").mkdir()
    for part, places in enumerate(numpy.array_split(numpy.arange(ROWS), 4)):
        columns = {name: values[places, index] for index, name in enumerate(features)}
        pyarrow.parquet.write_table(
            pyarrow.table({"id": places, **columns}), folder / "rows" / f"part-{part}.parquet")
    (folder / "images").mkdir()
    for image in sorted((BUNDLES / "shape-detector.tiobundle" / "samples").glob("*.jpg")):
        shutil.copy(image, folder / "images")
    digit = BUNDLES / "digits.tiobundle" / "samples" / "3-1.png"
    shutil.copy(digit, folder / "three.png")
    pyarrow.parquet.write_table(
        pyarrow.table({"id": [1], "content": [digit.read_bytes()]}), folder / "images.parquet")
    (folder / "Deployment").symlink_to(ROOT / "Deployment")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def run_transcript(heading: str, folder: pathlib.Path) -> tuple[str, str]:
    """Runs the commands of the transcript below a heading; returns the output of the last, here and on the page.

    Commands that end with `&` write to files of their own, and are ended with all processes that they have started.
    Ports are replaced by free ones.
    """
    (text,) = blocks(heading, "console")
    for port in sorted(set(re.findall(r"127\.0\.0\.1:(\d+)", text))):
        text = re.sub(rf"\b{port}\b", str(free_port()), text)
    commands = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
    expected = text.rpartition(f"$ {commands[-1]}\n")[2]
    for program in blocks(heading, "python"):
        name = re.match(r"# (\w+\.py)\n", program)
        assert name is not None, "a program of a transcript begins with its name"
        (folder / name[1]).write_text(program)
    script = ["set -eum", 'trap \'for job in $(jobs -p); do kill -- "-$job" || true; done; wait\' EXIT']
    for index, command in enumerate(commands):
        if command.endswith("&"):
            script.append(f"{command.removesuffix('&').strip()} > job-{index}.log 2>&1 &")
        else:
            script.append(f"{command} > command-{index}.log 2> errors-{index}.log")
    environment = {
        **os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)], cwd=folder, env=environment, timeout=240, check=False, capture_output=True,
        text=True)
    last = len(commands) - 1
    if done.returncode != 0:
        logs = [f"{path.name}:\n{path.read_text(errors='replace')[-2000:]}" for path in sorted(folder.glob("*.log"))]
        raise AssertionError(f"the transcript has failed with {done.returncode}: {done.stderr[-2000:]}\n" + "\n".join(logs))
    return (folder / f"command-{last}.log").read_text(), expected


def run_examples(heading: str, names: dict[str, object]) -> list[object]:
    """Runs the Python examples below a heading in the current folder, and returns the values of their last lines.

    Workers have other current folders, so that the names of files are replaced by absolute ones.
    """
    values = []
    for text in blocks(heading, "python"):
        for name in re.findall(r'"(rows|scored|found|[\w-]+[.]tiobundle|images/[*][.]jpg)"', text):
            text = text.replace(f'"{name}"', repr(os.path.abspath(name)))
        *lines, last = ast.parse(text).body
        code = compile(ast.Module(lines, []), f"{PAGE.name}: {heading}", "exec")
        exec(code, names)
        if isinstance(last, ast.Expr):
            values.append(eval(compile(ast.Expression(last.value), f"{PAGE.name}: {heading}", "eval"), names))
        else:
            exec(compile(ast.Module([last], []), f"{PAGE.name}: {heading}", "exec"), names)
            values.append(None)
        for path in ("scored", "found"):
            if os.path.isdir(path) and os.listdir(path):
                os.rename(path, f"{path}-{len(values)}")
    return values


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        make_folder(pathlib.Path(folder))
        print(run_transcript(sys.argv[1], pathlib.Path(folder))[0], end="")


if __name__ == "__main__":
    main()
