"""Writes the models of Tests/Fixtures/Serving for Triton's Python backend. Usage: triton_models.py FOLDER

A Triton server with this model repository is what `Scripts/check/clients` compares responses with:

    pip install nvidia-pytriton==0.7.0 numpy
    python Scripts/check/parts/clients/triton_models.py /tmp/repository
    tritonserver --model-repository /tmp/repository --http-port 8500 --allow-grpc false --allow-metrics false
    TENSORIO_ORACLE=127.0.0.1:8500 Scripts/check/clients

The executable is in the folder `pytriton/tritonserver/bin` of the package. Its option `--backend-directory` names a copy of
`pytriton/tritonserver/backends`, with the file `python_backend_stubs/VERSION/triton_python_backend_stub` for the version of Python in
the folder `python` of the copy.
"""

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
MODEL = '''import triton_python_backend_utils as backend


class TritonPythonModel:
    def execute(self, requests):
        return [backend.InferenceResponse(self.run(request)) for request in requests]

    def run(self, request):
        def input(name):
            return backend.get_input_tensor_by_name(request, name).as_numpy()

        return [backend.Tensor(name, value) for name, value in ({outputs}).items()]
'''
PAIR = '{"OUTPUT0": input("INPUT0") + input("INPUT1"), "OUTPUT1": input("INPUT0") - input("INPUT1")}'
# The name, the type and length of the rows, the numbers of inputs and outputs, the outputs, and the labels of the first output.
MODELS = [
    ("simple", "INT32", 16, 2, 2, PAIR, None),
    ("identity", "FP32", -1, 1, 1, '{"OUTPUT0": input("INPUT0")}', None),
    (
        "scores", "FP32", 6, 1, 2, '{"OUTPUT0": input("INPUT0"), "OUTPUT1": -input("INPUT0")}',
        ROOT / "Tests/Fixtures/Serving/scores.tiobundle/assets/labels.txt",
    ),
]  # fmt: skip


def tensors(kind, count, datatype, length, labels=None):
    parts = []
    for index in range(count):
        label = f' label_filename: "{labels.name}"' if labels and index == 0 else ""
        name = f"{kind.upper()}{index}"
        parts.append(f'{{ name: "{name}" data_type: TYPE_{datatype} dims: [{length}]{label} }}')
    return f"{kind} [{', '.join(parts)}]\n"


def main():
    repository = Path(sys.argv[1])
    for name, datatype, length, inputs, outputs, expression, labels in MODELS:
        folder = repository / name
        (folder / "1").mkdir(parents=True)
        (folder / "1/model.py").write_text(MODEL.replace("{outputs}", expression))
        if labels:
            shutil.copy(labels, folder)
        (folder / "config.pbtxt").write_text(
            f'name: "{name}"\nbackend: "python"\nmax_batch_size: 8\n'
            + tensors("input", inputs, datatype, length)
            + tensors("output", outputs, datatype, length, labels)
            + "instance_group [{ count: 1 kind: KIND_CPU }]\n"
        )


if __name__ == "__main__":
    main()
