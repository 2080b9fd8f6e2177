import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// All example bundles and chains over all protocols.
@Suite(.hangGuard) struct ExampleProtocolTests {
  private static let folder = "Examples/Bundles"
  private static let names = ProjectFiles.entries(of: folder).map {
    URL(filePath: $0).lastPathComponent
  }

  /// Routes and methods with one model, and a request for it.
  private struct Served {
    let name: String
    let router: Router
    let grpc: GRPCRouter
    let catalog: ModelCatalog
    let inputs: [InferenceTensor]

    /// Serves the model of an example, with the first image of its samples, or one with faces.
    init(_ file: String) throws {
      let path = ProjectFiles.path("\(ExampleProtocolTests.folder)/\(file)")
      let name = URL(filePath: path).deletingPathExtension().lastPathComponent
      self.name = name
      let bundle = try ModelBundle(at: path)
      let entry = ModelCatalog.Entry(
        name: name, path: path, bundle: .success(bundle))
      let catalog = ModelCatalog([entry]) { (entry) throws(ModelError) in
        try Model(bundle, options: OpeningOptions(threads: 1))
      }
      self.catalog = catalog
      let prediction = PredictionRoutes(
        catalog, ServerMetrics(), version: "1", status: ServerStatus(), isolation: nil,
        platform: PlatformOptions())
      router = Router(prediction.routes)
      grpc = GRPCRouter(prediction.grpcServices)
      let samples = ProjectFiles.entries(of: "\(ExampleProtocolTests.folder)/\(file)/samples")
      let sample = samples.first { !$0.hasSuffix(".json") } ?? Self.faces
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: sample)))
      let signature = try catalog.model(named: name).signature
      inputs = try signature.inputs.map { declaration in
        if declaration.takesFiles {
          return InferenceTensor(declaration.name, .bytes, shape: [1], .strings([bytes]))
        }
        let shape = declaration.dimensions(isBatched: signature.isBatched).map { $0 ?? 1 }
        let count = shape.reduce(1, *)
        guard let size = declaration.datatype.byteCount else {
          return InferenceTensor(
            declaration.name, .bytes, shape: shape,
            .strings(Array(repeating: Array("a word".utf8), count: count)))
        }
        return try InferenceTensor(
          declaration.name, declaration.datatype, shape: shape,
          binary: [UInt8](repeating: 0, count: count * size)[...])
      }
    }

    private static let faces = ProjectFiles.path(
      "\(ExampleProtocolTests.folder)/face-detector.tiobundle/samples/1.jpg")

    /// Sends a request and returns the response, whose status must be 200.
    func post(
      _ path: String, _ body: [UInt8], _ headers: HTTPHeaders = [:]
    ) throws -> HTTPResponse {
      let target = try #require(RequestTarget(path))
      let response = router.respond(to: HTTPRequest(.post, target, headers: headers, body: body))
      #expect(response.status == .ok, "\(path): \(response.text)")
      return response
    }

    /// Calls a method and returns the response, which must not be an error.
    func call(_ method: String, _ message: [UInt8]) throws -> [UInt8] {
      let method = try #require(grpc.method(at: method))
      let response = method.route.respond(to: HTTPRequest(.post, method.target, body: message))
      #expect(response.error == nil, "\(method.name): \(response.text)")
      return response.body
    }
  }

  @Test(arguments: names) func `The Open Inference Protocol runs every example`(
    file: String
  ) throws {
    let served = try Served(file)
    let inputs = served.inputs.map { input in
      #"{"name": "\#(input.name)", "datatype": "\#(input.datatype.rawValue)", "shape":"#
        + #" \#(input.shape), "parameters": {"binary_data_size": \#(input.binary.count)}}"#
    }
    let header = Array(#"{"inputs": [\#(inputs.joined(separator: ", "))]}"#.utf8)
    let path = "/v2/models/\(served.name)/infer"
    let body = header + served.inputs.flatMap(\.binary)
    let response = try served.post(
      path, body, ["Inference-Header-Content-Length": "\(header.count)"])
    let outputs = try #require(try response.json()["outputs"]?.array)
    #expect(!outputs.isEmpty)
    for output in outputs {
      let shape = try #require(output["shape"]?.numbers)
      #expect(output["data"]?.array?.count == Int(shape.reduce(1, *)), "\(output["name"] as Any)")
    }
    #expect(served.catalog.statuses[0].statistics.current.successes.count == 1)
    let type = "application/vnd.sagemaker-triton.binary+json;json-header-size=\(header.count)"
    let invoked = try served.post("/invocations", body, ["Content-Type": type])
    #expect(try invoked.json()["outputs"]?.array == outputs)

    let request = WireWriter {
      $0.text(1, served.name)
      for input in served.inputs {
        $0.message(5) {
          $0.text(1, input.name)
          $0.text(2, input.datatype.rawValue)
          for length in input.shape { $0.number(3, length) }
        }
      }
      for input in served.inputs { $0.bytes(7, input.binary) }
    }
    let method = "/inference.GRPCInferenceService/ModelInfer"
    #expect(try !served.call(method, request.bytes).isEmpty)
  }

  @Test func `The values of detections are rows of an output`() throws {
    let served = try Served("faces.tiochain")
    let body = Array(
      #"{"instances": [\#(served.inputs[0].nestedJSON.dropFirst().dropLast())]}"#.utf8)
    let prediction = try served.post("/v1/models/faces:predict", body).json()["predictions"]?[0]
    let boxes = try #require(prediction?["boxes"]?.array)
    let embeddings = try #require(prediction?["embedding"]?.array)
    #expect(embeddings.count == boxes.count && boxes.count > 1)
    #expect(embeddings.allSatisfy { $0.numbers?.count == 128 })
  }

  @Test(arguments: names) func `TensorFlow Serving runs every example`(file: String) throws {
    let served = try Served(file)
    let members = served.inputs.map { #""\#($0.name)": \#($0.nestedJSON)"# }
    let body = Array(#"{"inputs": {\#(members.joined(separator: ", "))}}"#.utf8)
    let response = try served.post("/v1/models/\(served.name):predict", body)
    #expect(try response.json()["outputs"] != nil)
    let invoked = try served.post("/invocations", body, ["Content-Type": "application/json"])
    #expect(try invoked.json()["predictions"] == response.json()["outputs"])
    let request = WireWriter {
      $0.message(1) { $0.text(1, served.name) }
      for input in served.inputs {
        var tensor = ProtobufWriter()
        TensorFlowTensor.write(input, to: &tensor)
        let bytes = tensor.bytes
        $0.message(2) {
          $0.text(1, input.name)
          $0.bytes(2, bytes)
        }
      }
    }
    let path = "/tensorflow.serving.PredictionService/Predict"
    #expect(try !served.call(path, request.bytes).isEmpty)
  }
}

extension InferenceTensor {
  /// The elements as nested JSON arrays, with base64 for strings.
  fileprivate var nestedJSON: String {
    let text = elementText
    func json(_ shape: ArraySlice<Int>, _ start: Int) -> String {
      guard let count = shape.first else {
        guard let string = strings?[start] else { return text(start) }
        return #"{"b64": "\#(Data(string).base64EncodedString())"}"#
      }
      let length = shape.dropFirst().reduce(1, *)
      let parts = (0..<count).map { json(shape.dropFirst(), start + $0 * length) }
      return "[\(parts.joined(separator: ", "))]"
    }
    return json(shape[...], 0)
  }
}
