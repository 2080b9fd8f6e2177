"""Other packages with runtimes, imported before and after this one."""

import importlib.util
import subprocess
import sys

import pytest

from conftest import BUNDLES

PACKAGES = {
    "numpy": "import numpy; numpy.ones((8, 8)) @ numpy.ones((8, 8))",
    "PIL": "import PIL.Image; PIL.Image.new('RGB', (8, 8)).resize((4, 4))",
    "pyarrow": "import pyarrow; pyarrow.array([1, 2])",
    "ai_edge_litert": "from ai_edge_litert.interpreter import Interpreter; Interpreter({model!r}).allocate_tensors()",
    "onnxruntime": "import onnxruntime; onnxruntime.get_available_providers()",
    "tensorflow": (
        "import tensorflow\n"
        "assert float(tensorflow.function(lambda x: tensorflow.reduce_sum(x @ x))(tensorflow.ones((8, 8)))) == 512"),
}
OWN = """
import tensorio
model = tensorio.Model({bundle!r})
print(repr(float(model([61, 1, 25.8, 90, 280, 195.4, 55, 5, 4.9972, 90]).array.item())))
"""


def _orders() -> list[tuple[str, ...]]:
    """This package before, between and after each of the others that are installed."""
    others = [name for name in PACKAGES if importlib.util.find_spec(name) is not None]
    pairs = [order for name in others for order in ((name, "tensorio"), ("tensorio", name))]
    middle = len(others) // 2
    return [*pairs, (*others, "tensorio"), ("tensorio", *others), ("tensorio", *reversed(others)),
            (*others[:middle], "tensorio", *others[middle:])]


@pytest.mark.parametrize("order", _orders(), ids="-".join)
def test_the_order_of_imports_does_not_matter(order: tuple[str, ...]) -> None:
    bundle = BUNDLES / "diabetes.tiobundle"
    parts = {**PACKAGES, "tensorio": OWN.format(bundle=str(bundle))}
    program = "\n".join(parts[name].format(model=str(bundle / "model.tflite")) for name in order)
    # The model is opened and run again after the last import.
    program += OWN.format(bundle=str(bundle))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"142.8767547607422"}


@pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason="TensorFlow is not installed")
@pytest.mark.parametrize("is_first", [True, False])
def test_tensorflow_is_shared_with_its_package(is_first: bool) -> None:
    """A SavedModel is run with the library that the package has loaded, or loads later."""
    bundle = BUNDLES / "digits-pretrained.tiobundle"
    image = str(bundle / "samples" / "3-1.png")
    own = f"""
import tensorio
model = tensorio.Model({str(bundle)!r})
assert model.backend == "tensorflow"
label = model({image!r}).top(1)[0].label
"""
    other = f"""
import tensorflow
function = tensorflow.saved_model.load({str(bundle / "model")!r}).signatures["serving_default"]
name = next(iter(function.structured_input_signature[1]))
assert all(value.shape[0] == 2 for value in function(**{{name: tensorflow.zeros((2, 8, 8, 1))}}).values())
"""
    check = f"""
libraries = {{line.split()[-1] for line in open("/proc/self/maps") if "libtensorflow_cc" in line}}
assert len(libraries) == 1, libraries
assert model({image!r}).top(1)[0].label == label
print(label)
"""
    program = (other + own if is_first else own + other) + own + check
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["3"]
