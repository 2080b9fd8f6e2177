"""Runs published clients of the inference protocols against a server. Usage: published.py HOST:PORT"""

import asyncio
import itertools
import json
import sys

import numpy
import pandas
import tritonclient.http as triton
import tritonclient.http.aio as triton_aio
from kserve import InferenceRESTClient, InferInput, InferRequest, RESTConfig
from mlflow.pyfunc.scoring_server.client import ScoringServerClient
from ovmsclient import make_http_client
from tritonclient.utils import InferenceServerException

ADDRESS = sys.argv[1]
A = numpy.arange(16, dtype=numpy.int32).reshape(1, 16)
B = numpy.ones((1, 16), numpy.int32)


def tensor(name, value, datatype, binary=True):
    result = triton.InferInput(name, list(value.shape), datatype)
    result.set_data_from_numpy(value, binary_data=binary)
    return result


def pair(binary=True, count=1):
    return [
        tensor(name, numpy.repeat(value, count, 0), "INT32", binary)
        for name, value in (("INPUT0", A), ("INPUT1", B))
    ]


def fails(call, status, text=""):
    try:
        call()
    except InferenceServerException as error:
        assert str(error).startswith(f"[{status}] ") and text in str(error), error
    else:
        raise AssertionError(f"expected status {status}")


def check_inference(client):
    for binary, output, coding, count in itertools.product(
        (True, False), (None, True, False), (None, "gzip", "deflate"), (1, 3)
    ):
        outputs = [
            triton.InferRequestedOutput(name, binary_data=bool(output))
            for name in ("OUTPUT0", "OUTPUT1")
        ]
        result = client.infer(
            "simple", pair(binary, count), outputs=None if output is None else outputs, request_id="r",
            request_compression_algorithm=coding, response_compression_algorithm=coding,
            query_params={"test_1": 1},
        )  # fmt: skip
        assert (result.as_numpy("OUTPUT0") == numpy.repeat(A + B, count, 0)).all()
        assert (result.as_numpy("OUTPUT1") == numpy.repeat(A - B, count, 0)).all()
        assert result.get_response()["id"] == "r"
    assert "id" not in client.infer("simple", pair()).get_response()
    values = numpy.array([[numpy.nan, numpy.inf, 0.1], [-0.0, 1e-45, -3.4e38]], numpy.float32)
    for binary in (True, False):
        outputs = [triton.InferRequestedOutput("OUTPUT0", binary_data=binary)]
        result = client.infer("identity", [tensor("INPUT0", values, "FP32", binary)], outputs=outputs)
        numpy.testing.assert_array_equal(result.as_numpy("OUTPUT0"), values)


def check_models(client):
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("simple", "1")
    assert client.get_server_metadata()["name"] == "tensorio"
    assert client.get_model_metadata("simple")["inputs"][0]["shape"] == [-1, 16]
    assert client.get_model_config("simple")["input"][0]["data_type"] == "TYPE_INT32"
    assert len(client.get_inference_statistics("simple")["model_stats"]) == 1
    client.update_trace_settings(settings={"trace_level": ["TIMESTAMPS"]})
    client.update_log_settings({"log_verbose_level": 1})
    client.unload_model("addsub")
    assert not client.is_model_ready("addsub")
    fails(lambda: client.infer("addsub", pair()), 404)
    client.load_model("addsub", config=json.dumps({"max_batch_size": "4"}))
    assert client.is_model_ready("addsub")
    assert client.get_model_config("addsub")["max_batch_size"] == 4
    fails(lambda: client.load_model("addsub", config="x"), 400, "failed to load")
    states = {model["name"]: model["state"] for model in client.get_model_repository_index()}
    assert states["addsub"] == "READY", states


def check_errors(client):
    fails(lambda: client.infer("nothing", pair()), 404)
    fails(lambda: client.infer("simple", pair(), model_version="9"), 404)
    fails(lambda: client.infer("simple", pair()[:1]), 400)
    fails(lambda: client.infer("simple", pair(), outputs=[triton.InferRequestedOutput("x")]), 400)
    fails(lambda: client.load_model("nothing"), 404)


def check_files(client):
    with open("Examples/Bundles/digits.tiobundle/samples/0-1.png", "rb") as file:
        images = numpy.array([file.read()] * 2, dtype=object)
    result = client.infer("digits", [tensor("image", images, "BYTES")])
    assert result.as_numpy("classification").shape == (2, 10)
    assert json.loads(result.as_numpy("task_result")[0])["classification"][0]["label"] == "0"
    outputs = [triton.InferRequestedOutput("classification", class_count=1)]
    result = client.infer("digits", [tensor("image", images, "BYTES")], outputs=outputs)
    assert result.as_numpy("classification")[0][0].split(b":")[1:] == [b"0", b"0"]
    texts = numpy.array(["Where is my parcel?"], dtype=object)
    outputs = [triton.InferRequestedOutput("topic", class_count=1)]
    result = client.infer("topics", [tensor("message", texts, "BYTES", False)], outputs=outputs)
    assert result.as_numpy("topic")[0][0].endswith(b":delivery")


async def check_asynchronous():
    async with triton_aio.InferenceServerClient(ADDRESS) as client:
        results = await asyncio.gather(*[client.infer("simple", pair()) for _ in range(20)])
        assert all((result.as_numpy("OUTPUT0") == A + B).all() for result in results)
        await client.get_inference_statistics()


def check_tensorflow_serving():
    client = make_http_client(ADDRESS)
    assert client.get_model_status("simple")[1]["state"] == "AVAILABLE"
    client.get_model_metadata("simple")
    result = client.predict({"INPUT0": A, "INPUT1": B}, "simple")
    assert (result["OUTPUT0"] == A + B).all()


def check_mlflow():
    host, port = ADDRESS.split(":")
    client = ScoringServerClient(host, int(port))
    table = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    predictions = client.invoke(table).get_predictions()
    assert predictions.to_numpy().tolist() == [[1, 3], [2, 4]], predictions


async def check_kserve():
    url = f"http://{ADDRESS}"
    client = InferenceRESTClient(RESTConfig(protocol="v2"))
    assert await client.is_server_live(url) and await client.is_model_ready(url, "identity")
    for binary in (True, False):
        value = InferInput("INPUT0", [1, 2], "FP32")
        value.set_data_from_numpy(numpy.array([[1, 2]], numpy.float32), binary_data=binary)
        response = await client.infer(url, InferRequest("identity", [value]), model_name="identity")
        assert response.outputs[0].as_numpy().tolist() == [[1, 2]]
    client = InferenceRESTClient(RESTConfig(protocol="v1"))
    assert await client.is_model_ready(url, "identity")
    response = await client.infer(url, {"instances": [[1, 2]]}, model_name="identity")
    assert response == {"predictions": [[1, 2]]}, response


def main():
    client = triton.InferenceServerClient(ADDRESS, concurrency=4)
    for check in (check_inference, check_models, check_errors, check_files):
        check(client)
        print(f"tritonclient: {check.__name__} passed")
    asyncio.run(check_asynchronous())
    print("tritonclient.aio passed")
    check_tensorflow_serving()
    print("ovmsclient passed")
    check_mlflow()
    print("MLflow's client passed")
    asyncio.run(check_kserve())
    print("KServe's client passed")


if __name__ == "__main__":
    main()
