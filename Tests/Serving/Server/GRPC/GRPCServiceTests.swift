import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Methods of the services, without a connection.
@Suite struct GRPCServiceTests {
  private static func inference(_ name: String) -> String {
    "/inference.GRPCInferenceService/\(name)"
  }

  /// A request for the model that returns its input.
  private static func tokens(
    id: String? = nil, model: String = "tokens", output: String? = nil
  ) -> [UInt8] {
    WireWriter {
      $0.text(1, model)
      if let id { $0.text(3, id) }
      $0.message(5) {
        $0.text(1, "x")
        $0.text(2, "INT32")
        $0.bytes(3, [1, 2])
      }
      if let output { $0.message(6) { $0.text(1, output) } }
      $0.bytes(7, [1, 0, 0, 0, 2, 0, 0, 0])
    }.bytes
  }

  private static let tokensResponse = WireWriter {
    $0.text(1, "tokens")
    $0.text(2, "1")
    $0.text(3, "a7")
    $0.message(5) {
      $0.text(1, "y")
      $0.text(2, "INT32")
      $0.bytes(3, [1, 2])
    }
    $0.bytes(6, [1, 0, 0, 0, 2, 0, 0, 0])
  }.bytes

  @Test func `Inference returns raw outputs`() throws {
    let response = try PredictionHarness().call(
      Self.inference("ModelInfer"), Self.tokens(id: "a7"))
    #expect(response.body == Self.tokensResponse)
    let stream = try PredictionHarness().call(
      Self.inference("ModelStreamInfer"), Self.tokens(id: "a7"))
    #expect(stream.body == WireWriter { $0.bytes(2, Self.tokensResponse) }.bytes)
  }

  @Test(
    arguments: [
      ("INT8", 2, 128), ("INT16", 2, 32768), ("INT32", 2, 2_147_483_648), ("UINT8", 4, 256),
      ("UINT16", 4, 65536), ("UINT32", 4, 4_294_967_296),
    ] as [(String, Int, Int)])
  func `Numbers out of range are reported with the datatype of the request`(
    datatype: String, field: Int, number: Int
  ) throws {
    let request = WireWriter {
      $0.text(1, "tokens")
      $0.message(5) {
        $0.text(1, "x")
        $0.text(2, datatype)
        $0.bytes(3, [1, 1])
        $0.message(5) { $0.number(field, number) }
      }
    }
    let response = try PredictionHarness().call(Self.inference("ModelInfer"), request.bytes)
    #expect(GRPCStatus(response) == .invalidArgument)
    #expect(response.error?.message == "input 'x': the number \(number) does not fit \(datatype)")
  }

  @Test(
    arguments: [
      ("nothing", nil, 5), ("tokens", "z", 3), ("crashing", nil, 3), ("", nil, 3),
    ] as [(String, String?, Int)])
  func `Errors have a status`(model: String, output: String?, status: Int) throws {
    let response = try PredictionHarness().call(
      Self.inference("ModelInfer"), Self.tokens(model: model, output: output))
    #expect(GRPCStatus(response).rawValue == status)
  }

  @Test func `An error in a stream has the identifier of its request`() throws {
    let method = try #require(
      PredictionHarness().grpc.method(at: Self.inference("ModelStreamInfer")))
    guard case .exchange(let error) = method.kind else {
      Issue.record("the method has one response")
      return
    }
    let expected = WireWriter {
      $0.text(1, "wrong")
      $0.message(2) { $0.text(3, "a7") }
    }
    #expect(error("wrong", Self.tokens(id: "a7")) == expected.bytes)
    #expect(error("wrong", [255]) == WireWriter { $0.text(1, "wrong") }.bytes)
  }

  @Test func `The lane of a request is its model`() throws {
    let method = try #require(PredictionHarness().grpc.method(at: Self.inference("ModelInfer")))
    var request = HTTPRequest(.post, method.target, body: Self.tokens())
    #expect(method.route.lane(of: request) == "tokens")
    request.bodyCoding = "gzip"
    #expect(method.route.lane(of: request) == "\0gzip")
    request = HTTPRequest(.post, method.target, body: [0x0A, 200])
    #expect(method.route.lane(of: request) == "")
  }

  @Test func `Metadata, configuration and statistics are messages`() throws {
    let harness = try PredictionHarness()
    let model = WireWriter { $0.text(1, "tokens") }.bytes
    let metadata = try harness.call(Self.inference("ModelMetadata"), model)
    let expected = WireWriter {
      $0.text(1, "tokens")
      $0.text(2, "1")
      $0.text(3, "tensorio_tflite")
      for (number, name) in [(4, "x"), (5, "y")] {
        $0.message(number) {
          $0.text(1, name)
          $0.text(2, "INT32")
          $0.number(3, -1)
          $0.number(3, -1)
        }
      }
    }
    #expect(metadata.body == expected.bytes)
    let names = ["ModelConfig", "ModelStatistics", "ServerMetadata", "RepositoryIndex"]
    for name in names + ["TraceSetting", "LogSettings", "ModelReady", "ServerLive", "ServerReady"] {
      let response = try harness.call(
        Self.inference(name), name.hasPrefix("Model") ? model : [])
      #expect(response.error == nil && !response.body.isEmpty || name == "ServerReady", "\(name)")
    }
    let ready = try harness.call(
      Self.inference("ModelReady"), WireWriter { $0.text(1, "nothing") }.bytes)
    #expect(ready.error == nil && ready.body.isEmpty)
  }

  @Test func `Only administrators can load, unload and configure models`() throws {
    func setting(_ name: String, _ write: (inout WireWriter) -> Void) -> [UInt8] {
      WireWriter {
        $0.message(1) {
          $0.text(1, name)
          $0.message(2, write)
        }
      }.bytes
    }
    let model = WireWriter { $0.text(2, "pair") }.bytes
    for (name, message) in [
      ("RepositoryModelLoad", model), ("RepositoryModelUnload", model),
      ("TraceSetting", setting("trace_rate") { $0.text(1, "5") }),
      ("LogSettings", setting("log_verbose_level") { $0.number(2, 1) }),
    ] {
      let response = try PredictionHarness().call(Self.inference(name), message)
      #expect(GRPCStatus(response) == .permissionDenied, "\(name)")
      let allowed = try PredictionHarness(isAdministrator: true)
        .call(Self.inference(name), message)
      #expect(GRPCStatus(allowed) == .ok, "\(name): \(String(describing: allowed.error))")
    }
  }

  @Test(
    arguments: [
      "ServerReady", "ModelReady", "ServerMetadata", "ModelMetadata", "ModelConfig",
      "ModelStatistics", "RepositoryIndex", "RepositoryModelLoad", "RepositoryModelUnload",
      "TraceSetting", "LogSettings",
    ].map(inference) + [
      "/tensorflow.serving.PredictionService/GetModelMetadata",
      "/tensorflow.serving.ModelService/GetModelStatus",
    ])
  func `Methods that run no model do not wait for runs`(path: String) throws {
    let method = try #require(try PredictionHarness().grpc.method(at: path))
    #expect(method.route.execution != .queued)
  }

  @Test func `Shared memory is not implemented`() throws {
    let response = try PredictionHarness().call(Self.inference("SystemSharedMemoryStatus"), [])
    #expect(GRPCStatus(response) == .unimplemented)
  }

  @Test(arguments: ["ModelInfer", "ModelStreamInfer"])
  func `Tensors in shared memory are rejected`(method: String) throws {
    let region = WireWriter {
      $0.text(1, "shared_memory_region")
      $0.message(2) { $0.text(3, "region") }
    }.bytes
    let input = WireWriter {
      $0.text(1, "tokens")
      $0.message(5) {
        $0.text(1, "x")
        $0.text(2, "INT32")
        $0.bytes(3, [1, 2])
        $0.bytes(4, region)
      }
    }
    let output = WireWriter {
      $0.text(1, "tokens")
      $0.message(5) {
        $0.text(1, "x")
        $0.text(2, "INT32")
        $0.bytes(3, [1, 1])
      }
      $0.message(6) {
        $0.text(1, "y")
        $0.bytes(2, region)
      }
      $0.bytes(7, [1, 0, 0, 0])
    }
    for (request, name) in [(input, "input 'x'"), (output, "output 'y'")] {
      let response = try PredictionHarness().call(Self.inference(method), request.bytes)
      #expect(GRPCStatus(response) == .unimplemented)
      #expect(
        response.error?.message
          == "\(name): shared memory is not supported, got 'shared_memory_region'")
    }
  }

  @Test func `TensorFlow Serving predicts`() throws {
    let tensor = WireWriter {
      $0.number(1, 3)
      $0.message(2) {
        $0.message(2) { $0.number(1, 1) }
        $0.message(2) { $0.number(1, 2) }
      }
      $0.bytes(4, [1, 0, 0, 0, 2, 0, 0, 0])
    }
    let request = WireWriter {
      $0.message(1) { $0.text(1, "tokens") }
      $0.message(2) {
        $0.text(1, "x")
        $0.bytes(2, tensor.bytes)
      }
    }
    let response = try PredictionHarness().call(Self.predictPath, request.bytes)
    let expected = WireWriter {
      $0.message(1) {
        $0.text(1, "y")
        $0.bytes(2, tensor.bytes)
      }
      $0.message(2) {
        $0.text(1, "tokens")
        $0.message(2) { $0.number(1, 1) }
        $0.text(3, "serving_default")
      }
    }
    #expect(response.body == expected.bytes)
    let unknown = try PredictionHarness().call(
      Self.predictPath, WireWriter { $0.message(1) { $0.text(1, "nothing") } }.bytes)
    #expect(GRPCStatus(unknown) == .notFound)
    #expect(unknown.error?.message == "Servable not found for request: Latest(nothing)")
    #expect(
      try GRPCStatus(PredictionHarness().call(Self.predictPath, [])) == .invalidArgument)
  }

  private static let predictPath = "/tensorflow.serving.PredictionService/Predict"

  @Test(arguments: [
    ([1, 2], nil), ([1 << 28], "unexpected shape [268435456]; expected [-1,-1]"),
  ])
  func `The last value is repeated for a shape that the model takes`(
    shape: [Int], error: String?
  ) throws {
    let tensor = WireWriter {
      $0.number(1, 3)
      $0.message(2) { for length in shape { $0.message(2) { $0.number(1, length) } } }
      $0.bytes(7, [5])
    }
    let request = WireWriter {
      $0.message(1) { $0.text(1, "tokens") }
      $0.message(2) {
        $0.text(1, "x")
        $0.bytes(2, tensor.bytes)
      }
    }
    let response = try PredictionHarness().call(Self.predictPath, request.bytes)
    #expect(response.error?.message == error.map { "input 'x': \($0)" })
    guard error == nil else { return }
    let outputs = try ProtobufMessage(response.body).entries(1, of: "PredictResponse")
    let output = try TensorFlowTensor.tensor(try #require(outputs["y"]), "y", RequestContext())
    #expect(output.binary == [5, 0, 0, 0, 5, 0, 0, 0])
  }

  @Test func `Health is that of the server, and of services it has`() throws {
    let harness = try PredictionHarness()
    let path = "/grpc.health.v1.Health/Check"
    for name in ["", "inference.GRPCInferenceService"] {
      let response = try harness.call(path, WireWriter { $0.text(1, name) }.bytes)
      #expect(response.error == nil && response.body.count == 2)
    }
    let unknown = try harness.call(path, WireWriter { $0.text(1, "x") }.bytes)
    #expect(GRPCStatus(unknown) == .notFound)
  }

  @Test(arguments: ["v1", "v1alpha"]) func `Reflection describes all services`(
    version: String
  ) throws {
    let harness = try PredictionHarness()
    let path = "/grpc.reflection.\(version).ServerReflection/ServerReflectionInfo"
    let list = try harness.call(path, WireWriter { $0.text(7, "") }.bytes)
    let text = String(decoding: list.body, as: UTF8.self)
    for name in ["inference.GRPCInferenceService", "tensorflow.serving.ModelService"] {
      #expect(text.contains(name))
    }
    for symbol in [
      "inference.GRPCInferenceService", "inference.GRPCInferenceService.ModelInfer",
      "inference.ModelInferRequest.InferInputTensor", "tensorflow.TensorProto",
      "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
    ] {
      let response = try harness.call(path, WireWriter { $0.text(4, symbol) }.bytes)
      let text = String(decoding: response.body, as: UTF8.self)
      #expect(text.contains(symbol.lastComponent) && text.contains("proto3"), "\(symbol)")
    }
    let unknown = try harness.call(path, WireWriter { $0.text(4, "a.b") }.bytes)
    #expect(String(decoding: unknown.body, as: UTF8.self).contains("not found"))
  }
}

extension String {
  /// The part after the last dot.
  fileprivate var lastComponent: String { split(separator: ".").last.map(String.init) ?? self }
}
