"""Runs published gRPC clients against a server. Usage: published_grpc.py HOST:PORT"""

import asyncio
import json
import queue
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import numpy
import tritonclient.grpc as triton
import tritonclient.grpc.aio as triton_aio
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from ovmsclient import make_grpc_client
from ovmsclient.tfs_compat.protos.tensorflow.core.example import example_pb2, feature_pb2
from ovmsclient.tfs_compat.protos.tensorflow_serving.apis import (
    classification_pb2,
    inference_pb2,
    input_pb2,
    prediction_service_pb2_grpc,
    regression_pb2,
)
from tritonclient.grpc import model_config_pb2, service_pb2, service_pb2_grpc
from tritonclient.utils import InferenceServerException

ADDRESS = sys.argv[1]
A = numpy.arange(16, dtype=numpy.int32).reshape(1, 16)
B = numpy.ones((1, 16), numpy.int32)
DIGIT = Path("Examples/Bundles/digits.tiobundle/samples/3-1.png").read_bytes()


def tensor(name, value, datatype):
    result = triton.InferInput(name, list(value.shape), datatype)
    result.set_data_from_numpy(value)
    return result


def pair(count=1):
    return [
        tensor(name, numpy.repeat(value, count, 0), "INT32")
        for name, value in (("INPUT0", A), ("INPUT1", B))
    ]


def fails(call, code, text=""):
    try:
        call()
    except InferenceServerException as error:
        assert error.status() == f"StatusCode.{code}", error
        assert text in error.message(), error
    except grpc.RpcError as error:
        assert error.code().name == code, error
        assert text in error.details(), error
    else:
        raise AssertionError(f"expected {code}")


def check_inference(client):
    for count in (1, 3):
        for coding in (None, "gzip", "deflate"):
            result = client.infer(
                "simple", pair(count), request_id="r", compression_algorithm=coding
            )
            assert (result.as_numpy("OUTPUT0") == numpy.repeat(A + B, count, 0)).all()
            assert (result.as_numpy("OUTPUT1") == numpy.repeat(A - B, count, 0)).all()
            assert result.get_response().id == "r"
    outputs = [triton.InferRequestedOutput("OUTPUT1")]
    result = client.infer("simple", pair(), outputs=outputs, parameters={"a": 1, "b": "c"})
    assert result.as_numpy("OUTPUT0") is None and (result.as_numpy("OUTPUT1") == A - B).all()
    values = numpy.array([[numpy.nan, numpy.inf, 0.1], [-0.0, 1e-45, -3.4e38]], numpy.float32)
    result = client.infer("identity", [tensor("INPUT0", values, "FP32")])
    numpy.testing.assert_array_equal(result.as_numpy("OUTPUT0"), values)
    done = queue.Queue()
    client.async_infer("simple", pair(), lambda result, error: done.put((result, error)))
    result, error = done.get(timeout=30)
    assert error is None and (result.as_numpy("OUTPUT0") == A + B).all()


def check_large_tensors(client):
    values = numpy.random.default_rng(1).random((1, 10_000_000), numpy.float32)
    result = client.infer("identity", [tensor("INPUT0", values, "FP32")])
    numpy.testing.assert_array_equal(result.as_numpy("OUTPUT0"), values)
    values = numpy.zeros((1, 20_000_000), numpy.float32)
    fails(
        lambda: client.infer("identity", [tensor("INPUT0", values, "FP32")]),
        "RESOURCE_EXHAUSTED",
    )
    fails(
        lambda: client.infer(
            "identity", [tensor("INPUT0", values, "FP32")], compression_algorithm="gzip"
        ),
        "RESOURCE_EXHAUSTED",
    )


def check_models(client):
    assert client.is_server_live() and client.is_server_ready()
    assert client.is_model_ready("simple", "1") and not client.is_model_ready("nothing")
    assert client.get_server_metadata().name == "tensorio"
    assert client.get_model_metadata("simple").inputs[0].shape == [-1, 16]
    config = client.get_model_config("simple").config
    assert config.input[0].data_type == model_config_pb2.TYPE_INT32 and config.max_batch_size == 1024
    assert client.get_inference_statistics("simple").model_stats[0].inference_count > 0
    assert len(client.get_inference_statistics().model_stats) > 1
    settings = client.update_trace_settings(settings={"trace_level": ["TIMESTAMPS"]})
    assert settings.settings["trace_level"].value == ["TIMESTAMPS"]
    client.update_trace_settings(settings={"trace_level": None})
    assert client.get_trace_settings().settings["trace_level"].value == ["OFF"]
    client.update_log_settings({"log_verbose_level": 1, "log_info": False})
    settings = client.get_log_settings(as_json=True)["settings"]
    assert settings["log_verbose_level"]["uint32_param"] == 1, settings
    client.update_log_settings({"log_verbose_level": 0, "log_info": True})
    client.unload_model("addsub")
    assert not client.is_model_ready("addsub")
    fails(lambda: client.infer("addsub", pair()), "NOT_FOUND", "has no available versions")
    client.load_model("addsub", config=json.dumps({"max_batch_size": "4"}))
    assert client.get_model_config("addsub").config.max_batch_size == 4
    fails(lambda: client.load_model("addsub", config="x"), "INVALID_ARGUMENT", "failed to load")
    assert client.is_model_ready("addsub")
    states = {model.name: model.state for model in client.get_model_repository_index().models}
    assert states["addsub"] == "READY", states
    for call in (
        client.get_system_shared_memory_status,
        client.get_cuda_shared_memory_status,
        lambda: client.register_system_shared_memory("a", "b", 1),
        lambda: client.register_cuda_shared_memory("a", b"", 0, 1),
        lambda: client.unregister_system_shared_memory("a"),
        lambda: client.unregister_cuda_shared_memory("a"),
    ):
        fails(call, "UNIMPLEMENTED")


def check_errors(client):
    fails(lambda: client.infer("nothing", pair()), "NOT_FOUND", "Request for unknown model")
    fails(lambda: client.infer("simple", pair(), model_version="9"), "NOT_FOUND")
    fails(lambda: client.infer("simple", pair()[:1]), "INVALID_ARGUMENT", "INPUT1")
    outputs = [triton.InferRequestedOutput("x")]
    fails(lambda: client.infer("simple", pair(), outputs=outputs), "INVALID_ARGUMENT", "'x'")
    fails(lambda: client.load_model("nothing"), "NOT_FOUND", "failed to load")
    fails(lambda: client.get_model_metadata("nothing"), "NOT_FOUND")
    wrong = [tensor("INPUT0", A.astype(numpy.float32), "FP32"), pair()[1]]
    fails(lambda: client.infer("simple", wrong), "INVALID_ARGUMENT", "INPUT0")
    wrong = [tensor("INPUT0", A[:, :8], "INT32"), pair()[1]]
    fails(lambda: client.infer("simple", wrong), "INVALID_ARGUMENT", "INPUT0")
    with grpc.insecure_channel(ADDRESS) as channel:
        call = channel.unary_unary("/inference.GRPCInferenceService/Nothing")
        fails(lambda: call(b""), "UNIMPLEMENTED")
        call = channel.unary_unary("/inference.GRPCInferenceService/ModelInfer")
        fails(lambda: call(b"\x0a\xff\xff\xff\xff\x0f"), "INVALID_ARGUMENT", "ModelInferRequest")


def check_typed_contents():
    with grpc.insecure_channel(ADDRESS) as channel:
        stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        request = service_pb2.ModelInferRequest(model_name="simple")
        for name, value in (("INPUT0", A), ("INPUT1", B)):
            item = request.inputs.add(name=name, datatype="INT32", shape=[1, 16])
            item.contents.int_contents.extend(value.ravel().tolist())
        response = stub.ModelInfer(request)
        result = numpy.frombuffer(response.raw_output_contents[0], numpy.int32)
        assert (result == (A + B).ravel()).all()
        request.inputs[0].contents.int_contents.pop()
        fails(lambda: stub.ModelInfer(request), "INVALID_ARGUMENT", "INPUT0")
        request.raw_input_contents.append(A.tobytes())
        request.raw_input_contents.append(B.tobytes())
        fails(lambda: stub.ModelInfer(request), "INVALID_ARGUMENT", "INPUT0")


def check_files(client):
    with open("Examples/Bundles/digits.tiobundle/samples/0-1.png", "rb") as file:
        images = numpy.array([file.read()] * 2, dtype=object)
    result = client.infer("digits", [tensor("image", images, "BYTES")])
    assert result.as_numpy("classification").shape == (2, 10)
    assert json.loads(result.as_numpy("task_result")[0])["classification"][0]["label"] == "0"
    outputs = [triton.InferRequestedOutput("classification", class_count=1)]
    result = client.infer("digits", [tensor("image", images, "BYTES")], outputs=outputs)
    assert result.as_numpy("classification")[0][0].split(b":")[1:] == [b"0", b"0"]
    request = service_pb2.ModelInferRequest(model_name="digits")
    request.inputs.add(name="image", datatype="BYTES", shape=[1])
    request.raw_input_contents.append(b"\xff\xff\xff\x7fabc")
    with grpc.insecure_channel(ADDRESS) as channel:
        stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        fails(lambda: stub.ModelInfer(request), "INVALID_ARGUMENT", "image")


def check_stream():
    with triton.InferenceServerClient(ADDRESS) as client:
        done = queue.Queue()
        client.start_stream(lambda result, error: done.put((result, error)))
        for index in range(50):
            client.async_stream_infer(
                "nothing" if index == 20 else "simple", pair(), request_id=str(index),
                enable_empty_final_response=index == 1,
            )  # fmt: skip
        for index in range(50):
            result, error = done.get(timeout=30)
            if index == 20:
                assert "unknown model" in str(error), error
            else:
                assert error is None and result.get_response().id == str(index)
            if index == 1:
                parameters = result.get_response().parameters
                assert parameters["triton_final_response"].bool_param
        client.stop_stream()


async def check_asynchronous():
    async with triton_aio.InferenceServerClient(ADDRESS) as client:
        results = await asyncio.gather(*[client.infer("simple", pair()) for _ in range(20)])
        assert all((result.as_numpy("OUTPUT0") == A + B).all() for result in results)
        assert await client.is_server_live() and await client.is_model_ready("simple")
        assert (await client.get_model_config("simple")).config.name == "simple"
        await client.get_inference_statistics()

        async def requests():
            for index in range(10):
                yield {"model_name": "simple", "inputs": pair(), "request_id": str(index)}

        ids = []
        async for result, error in client.stream_infer(requests()):
            assert error is None
            ids.append(result.get_response().id)
        assert ids == [str(index) for index in range(10)], ids


def check_concurrency():
    """64 concurrent streams of one connection, and 32 connections."""
    with triton.InferenceServerClient(ADDRESS) as client:

        def infer(number):
            values = numpy.full((1, 1000), number, numpy.float32)
            result = client.infer("identity", [tensor("INPUT0", values, "FP32")])
            return (result.as_numpy("OUTPUT0") == number).all()

        with ThreadPoolExecutor(64) as pool:
            assert all(pool.map(infer, range(640)))
    channels = [
        grpc.insecure_channel(ADDRESS, options=[("grpc.use_local_subchannel_pool", 1)])
        for _ in range(32)
    ]
    requests = [
        service_pb2_grpc.GRPCInferenceServiceStub(channel).ServerLive.future(
            service_pb2.ServerLiveRequest()
        )
        for channel in channels
    ]
    assert all(request.result(timeout=30).live for request in requests)
    for channel in channels:
        channel.close()


def check_deadlines_and_cancellation():
    values = numpy.zeros((1, 4_000_000), numpy.float32)
    with triton.InferenceServerClient(ADDRESS) as client:
        inputs = [tensor("INPUT0", values, "FP32")]
        fails(
            lambda: client.infer("identity", inputs, client_timeout=0.0001), "DEADLINE_EXCEEDED"
        )
        calls = [client.async_infer("identity", inputs, lambda *_: None) for _ in range(8)]
        for call in calls:
            call.cancel()
        assert (client.infer("simple", pair()).as_numpy("OUTPUT0") == A + B).all()


def check_health():
    with grpc.insecure_channel(ADDRESS) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        serving = health_pb2.HealthCheckResponse.SERVING
        for name in ("", "inference.GRPCInferenceService", "tensorflow.serving.ModelService"):
            assert stub.Check(health_pb2.HealthCheckRequest(service=name)).status == serving
        fails(lambda: stub.Check(health_pb2.HealthCheckRequest(service="x")), "NOT_FOUND")
        watch = stub.Watch(health_pb2.HealthCheckRequest(service=""))
        assert next(watch).status == serving
        watch.cancel()
        watch = stub.Watch(health_pb2.HealthCheckRequest(service="x"))
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
        watch.cancel()


def facts(message):
    """The fields of a message, as far as the wire format and JSON depend on them."""
    return {
        field.name: (
            field.number,
            field.type,
            field.is_repeated,
            field.message_type.full_name if field.message_type else None,
            field.enum_type.full_name if field.enum_type else None,
            field.containing_oneof.name if field.containing_oneof else None,
        )
        for field in message.fields
    }


def check_reflection():
    with grpc.insecure_channel(ADDRESS) as channel:
        database = ProtoReflectionDescriptorDatabase(channel)
        services = set(database.get_services())
        expected = {
            "inference.GRPCInferenceService",
            "tensorflow.serving.PredictionService",
            "tensorflow.serving.ModelService",
            "grpc.health.v1.Health",
            "grpc.reflection.v1alpha.ServerReflection",
            "grpc.reflection.v1.ServerReflection",
        }
        assert services == expected, services
        pool = DescriptorPool(database)
        for name in expected:
            assert pool.FindServiceByName(name).methods
        found = pool.FindServiceByName("inference.GRPCInferenceService")
        published = service_pb2.DESCRIPTOR.services_by_name["GRPCInferenceService"]
        for method in published.methods:
            other = found.methods_by_name[method.name]
            assert other.input_type.full_name == method.input_type.full_name
            assert other.output_type.full_name == method.output_type.full_name
            assert other.client_streaming == method.client_streaming
            assert other.server_streaming == method.server_streaming
        for name, message in service_pb2.DESCRIPTOR.message_types_by_name.items():
            assert facts(pool.FindMessageTypeByName(message.full_name)) == facts(message), name
        for name, message in model_config_pb2.DESCRIPTOR.message_types_by_name.items():
            try:
                subset = facts(pool.FindMessageTypeByName(message.full_name))
            except KeyError:
                continue
            assert subset.items() <= facts(message).items(), name
        for file in (classification_pb2, inference_pb2, input_pb2, regression_pb2, example_pb2, feature_pb2):
            for name, message in file.DESCRIPTOR.message_types_by_name.items():
                if not name.startswith(("Sequence", "FeatureList")):
                    package = message.file.package.replace("ovmsclient.serving", "tensorflow.serving")
                    found = pool.FindMessageTypeByName(f"{package.replace('ovmsclient', 'tensorflow')}.{name}")
                    numbers = {field.name: (field.number, field.type, field.is_repeated) for field in found.fields}
                    expected = {field.name: (field.number, field.type, field.is_repeated) for field in message.fields}
                    assert numbers == expected, name
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        requests = [
            reflection_pb2.ServerReflectionRequest(file_containing_symbol="a.b"),
            reflection_pb2.ServerReflectionRequest(file_by_filename="grpc_service.proto"),
        ]
        answers = list(stub.ServerReflectionInfo(iter(requests)))
        assert answers[0].error_response.error_code == grpc.StatusCode.NOT_FOUND.value[0]
        assert answers[0].original_request == requests[0]
        file = descriptor_pb2.FileDescriptorProto.FromString(
            answers[1].file_descriptor_response.file_descriptor_proto[0]
        )
        assert file.name == "grpc_service.proto" and file.service[0].name == "GRPCInferenceService"


def check_tensorflow_serving():
    client = make_grpc_client(ADDRESS)
    assert client.get_model_status("simple")[1]["state"] == "AVAILABLE"
    metadata = client.get_model_metadata("simple")
    assert metadata["inputs"]["INPUT0"]["shape"] == [-1, 16], metadata
    result = client.predict({"INPUT0": A, "INPUT1": B}, "simple")
    assert (result["OUTPUT0"] == A + B).all()
    values = numpy.array([[0.5, -1.5]], numpy.float32)
    assert (client.predict({"INPUT0": values}, "identity") == values).all()
    try:
        client.predict({"INPUT0": values}, "nothing")
    except Exception as error:
        assert "not found" in str(error).lower(), error
    else:
        raise AssertionError("expected an error for an unknown model")


def check_examples():
    with grpc.insecure_channel(ADDRESS) as channel:
        service = prediction_service_pb2_grpc.PredictionServiceStub(channel)

        def request(kind, model, examples, context=None):
            message = kind()
            message.model_spec.name = model
            message.input.CopyFrom(examples_input(examples, context))
            return message

        response = service.Classify(
            request(classification_pb2.ClassificationRequest, "digits", [{"image": [DIGIT]}] * 2)
        )
        assert response.model_spec.name == "digits" and response.model_spec.version.value == 1
        assert len(response.result.classifications) == 2
        for classification in response.result.classifications:
            assert len(classification.classes) == 10
            best = max(classification.classes, key=lambda item: item.score)
            assert best.label == "3" and best.score > 0.9, best
        numbers = [-1.5, 0.25, 3e9]
        response = service.Regress(
            request(
                regression_pb2.RegressionRequest, "identity",
                [{"INPUT0": [number], "other": [b"x"]} for number in numbers],
            )
        )  # fmt: skip
        assert [item.value for item in response.result.regressions] == numbers
        rows = [{"INPUT0": [float(number)] * 16} for number in range(3)]
        response = service.Regress(
            request(regression_pb2.RegressionRequest, "identity", [{}, {"INPUT0": [4.0]}], {"INPUT0": [0.5]})
        )
        assert [item.value for item in response.result.regressions] == [0.5, 4]
        response = service.Classify(
            request(classification_pb2.ClassificationRequest, "identity", rows)
        )
        for number, classification in enumerate(response.result.classifications):
            assert [item.score for item in classification.classes] == [number] * 16
            assert classification.classes[15].label == "15"

        def tasks(*tasks):
            message = inference_pb2.MultiInferenceRequest()
            for model, method in tasks:
                task = message.tasks.add(method_name="tensorflow/serving/" + method)
                task.model_spec.name = model
            message.input.CopyFrom(examples_input([{"INPUT0": [0.5]}]))
            return message

        response = service.MultiInference(tasks(("identity", "classify"), ("identity", "regress")))
        first, second = response.results
        assert first.classification_result.classifications[0].classes[0].score == 0.5
        assert second.regression_result.regressions[0].value == 0.5
        assert second.model_spec.signature_name == "serving_default"

        def rejected(model, examples, text, code="INVALID_ARGUMENT"):
            message = request(classification_pb2.ClassificationRequest, model, examples)
            fails(lambda: service.Classify(message), code, text)

        rejected("nothing", [{}], "Servable not found for request: Latest(nothing)", "NOT_FOUND")
        rejected("identity", [], "Input is empty.")
        rejected("identity", [{"INPUT": [1.0]}], "feature 'INPUT0' is missing in example 0")
        rejected("identity", [{"INPUT0": [1.0]}, {"INPUT0": [1.0, 2.0]}], "example 1 has 2 values")
        rejected("identity", [{"INPUT0": [b"x"]}], "values of FP32 cannot be in bytes_list")
        rejected("simple", [{"INPUT0": [1] * 16, "INPUT1": [2**31] + [0] * 15}], "2147483648")
        rejected("digits", [{"image": [b"x"]}], "image")
        rejected("digits", [{"image": [1.0, 2.0]}], "input 'image': unexpected shape [1,2]")
        fails(
            lambda: service.MultiInference(tasks(("identity", "classify"), ("simple", "regress"))),
            "INVALID_ARGUMENT", "must access the same model name",
        )  # fmt: skip
        fails(lambda: service.MultiInference(tasks(("identity", "x"))), "INVALID_ARGUMENT", "method_name")


def examples_input(examples, context=None):
    """An `Input` of dictionaries with lists of floats, integers or bytes."""

    def fill(example, values):
        for name, value in values.items():
            feature = example.features.feature[name]
            kind = {float: "float_list", int: "int64_list", bytes: "bytes_list"}[type(value[0])]
            getattr(feature, kind).value.extend(value)

    message = input_pb2.Input()
    if context is None:
        found = message.example_list
    else:
        found = message.example_list_with_context
        fill(found.context, context)
    found.SetInParent()
    for values in examples:
        fill(found.examples.add(), values)
    return message


def check_bytes_that_are_not_http():
    import socket

    host, port = ADDRESS.split(":")
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    for data in (preface[:10], preface + b"\0" * 100, preface + b"\xff" * 100, b"\0" * 100):
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(30)
            while connection.recv(4096):
                pass


def main():
    with triton.InferenceServerClient(ADDRESS) as client:
        for check in (
            check_inference, check_large_tensors, check_models, check_errors, check_files,
        ):  # fmt: skip
            check(client)
            print(f"tritonclient.grpc: {check.__name__} passed")
    check_typed_contents()
    check_stream()
    asyncio.run(check_asynchronous())
    print("tritonclient.grpc: streams and aio passed")
    check_concurrency()
    check_deadlines_and_cancellation()
    print("tritonclient.grpc: concurrency, deadlines and cancellation passed")
    check_health()
    check_reflection()
    print("grpc_health and grpc_reflection passed")
    check_tensorflow_serving()
    check_examples()
    print("ovmsclient over gRPC passed")
    check_bytes_that_are_not_http()
    with triton.InferenceServerClient(ADDRESS) as client:
        assert client.is_server_live()


if __name__ == "__main__":
    main()
