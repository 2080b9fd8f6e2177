import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// The prediction routes of several models, without a socket.
struct PredictionHarness {
  let metrics = ServerMetrics()
  let router: Router
  /// All gRPC services, and their methods.
  let grpcServices: [GRPCService]
  let grpc: GRPCRouter
  private let bundles: [TestBundle]
  private let context: RequestContext

  init(
    status: ServerStatus = ServerStatus(), isolation: Isolation.Level? = nil,
    limits: PredictionLimits = PredictionLimits(),
    platformOptions: PlatformOptions = PlatformOptions(), isAdministrator: Bool = false
  ) throws {
    context = RequestContext(isAdministrator: isAdministrator)
    let models = try TestModel.all()
    bundles = models.compactMap(\.bundle)
    let entries = try models.map { model in
      try ModelCatalog.Entry(
        name: model.name, path: "/secret/\(model.name)",
        bundle: model.bundle.map { .success(try $0.read()) }
          ?? .failure(ModelError(.bundle, .missingFile("/secret/x"), file: "/secret")))
    }
    let modelsByName = Dictionary(uniqueKeysWithValues: models.map { ($0.name, $0) })
    let catalog = ModelCatalog(entries) { (entry) throws(ModelError) in
      guard let model = modelsByName[entry.name] else {
        throw ModelError(.bundle, .missingBundle)
      }
      return try model.open(entry)
    }
    let prediction = PredictionRoutes(
      catalog, metrics, version: "1.2.3", status: status, isolation: isolation, limits: limits,
      administrationHint: "; see the manual", platform: platformOptions)
    router = Router(prediction.routes)
    grpcServices = prediction.grpcServices
    grpc = GRPCRouter(grpcServices)
  }

  /// Sends a prediction request.
  func predict(
    _ model: String, _ type: String?, _ body: [UInt8], query: String = ""
  ) throws -> HTTPResponse {
    let target = try #require(RequestTarget("/v2/models/\(model)/predict\(query)"))
    var headers = HTTPHeaders()
    headers["Content-Type"] = type
    return router.respond(to: HTTPRequest(.post, target, headers: headers, body: body))
  }

  /// Sends a prediction request with a JSON body.
  func predict(_ model: String, json: String, query: String = "") throws -> HTTPResponse {
    try predict(model, "application/json", Array(json.utf8), query: query)
  }

  /// Sends a POST request.
  func post(
    _ path: String, _ body: [UInt8], headers: HTTPHeaders = [:]
  ) throws -> HTTPResponse {
    var request = HTTPRequest(
      .post, try #require(RequestTarget(path)), headers: headers, body: body)
    request.context = context
    return router.respond(to: request)
  }

  /// Sends a POST request with a JSON body.
  func post(_ path: String, json: String) throws -> HTTPResponse {
    try post(path, Array(json.utf8), headers: ["Content-Type": "application/json"])
  }

  /// Calls a gRPC method with one message.
  func call(_ path: String, _ message: [UInt8]) throws -> HTTPResponse {
    let method = try #require(grpc.method(at: path), "\(path)")
    var request = HTTPRequest(.post, method.target, body: message)
    request.context = context
    return method.route.respond(to: request)
  }

  /// Sends a GET request.
  func get(_ path: String) throws -> HTTPResponse {
    router.respond(to: HTTPRequest(.get, try #require(RequestTarget(path))))
  }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }

  func json() throws -> JSONTree { try JSONTree(text) }

  /// The code of an error.
  func code() throws -> String? { try json()["code"]?.string }
}

/// A model of the harness.
struct TestModel: Sendable {
  let name: String
  /// `nil` for a model whose bundle is invalid.
  let bundle: TestBundle?
  let backend: FakeBackend
  /// The number of attempts to open the model that fail.
  var openFailures = FailureBudget(count: 0)

  func open(_ entry: ModelCatalog.Entry) throws(ModelError) -> Model {
    guard let bundle = try entry.bundle?.get() else {
      throw ModelError(.bundle, .missingBundle)
    }
    guard !openFailures.consume() else {
      throw ModelError(.run, .workerCrashed(detail: "/secret"))
    }
    return try Model(bundle, on: backend, options: OpeningOptions(threads: 1))
  }

  static func all() throws -> [TestModel] {
    [
      TestModel(name: "pair", bundle: try TestBundle(), backend: FakeBackend(.pair)),
      try image(), try sum(), try counter(), try tokens(), try text(),
      TestModel(name: "broken", bundle: nil, backend: FakeBackend(.pair)),
      try rejected(
        "rejected", ModelError(.runtime, .modelRejected(detail: "/secret/model.tflite"))),
      try rejected(
        "missing-runtime",
        ModelError(
          .runtime,
          .runtimeMissing(
            .init(
              backend: .tflite, searchResults: ["/secret/lib.so"], recoverySuggestion: "/secret")))),
      try failing("failing", .callFailed(function: "f", status: 1, message: "/secret")),
      try failing("busy", .timedOut),
      try failing("crashing", .workerCrashed(detail: "/secret")),
      try failing("suspended", .suspended(crashes: 3, seconds: 60)),
      TestModel(
        name: "crashing-once", bundle: try TestBundle(),
        backend: FakeBackend(.pair), openFailures: FailureBudget(count: 1)),
    ]
  }

  /// A model whose six scores are the values of its two pixels.
  private static func image() throws -> TestModel {
    let labels = ["a", "b", "c", "d", "e", "f"]
    return TestModel(
      name: "image",
      bundle: try TestBundle(
        inputs: #"{"name": "x", "type": "image", "shape": [1, 2, 3], "format": "RGB"}"#,
        outputs: #"{"name": "y", "type": "array", "shape": [6], "labels": "labels.txt"}"#,
        model: #""file": "model.tflite", "quantized": true, "backend": "tflite""#,
        labels: labels.joined(separator: "\n")),
      backend: FakeBackend(
        .identity(TensorInfo(name: "t", elementType: .uint8, shape: [1, 1, 2, 3]))))
  }

  /// A model that returns a row of numbers of any length.
  private static func tokens() throws -> TestModel {
    TestModel(
      name: "tokens",
      bundle: try TestBundle(
        inputs: #"{"name": "x", "type": "array", "shape": [-1, -1]}"#,
        outputs: #"{"name": "y", "type": "array", "shape": [-1, -1]}"#),
      backend: FakeBackend(
        .identity(TensorInfo(name: "t", elementType: .int32, shape: [-1, -1]))))
  }

  /// A model that returns a string.
  private static func text() throws -> TestModel {
    TestModel(
      name: "text",
      bundle: try TestBundle(
        inputs: #"{"name": "x", "type": "array", "shape": [1, 1]}"#,
        outputs: #"{"name": "y", "type": "array", "shape": [1, 1]}"#),
      backend: FakeBackend(
        .identity(TensorInfo(name: "t", elementType: .string, shape: [1, 1]))))
  }

  private static let two = TensorInfo(name: "t", elementType: .float32, shape: [1, 2])

  /// A model that adds two pairs.
  private static func sum() throws -> TestModel {
    TestModel(
      name: "sum",
      bundle: try TestBundle(
        inputs: """
          {"name": "left", "type": "array", "shape": [2], "features": ["width", "height"]},
          {"name": "right", "type": "array", "shape": [2]}
          """), backend: FakeBackend(FakeModel(inputs: [two, two], outputs: [two], add)))
  }

  /// A stateful model that accumulates its inputs.
  private static func counter() throws -> TestModel {
    TestModel(
      name: "counter",
      bundle: try TestBundle(
        inputs: """
          {"name": "x", "type": "array", "shape": [2]},
          {"name": "before", "type": "array", "shape": [2]}
          """,
        outputs: """
          {"name": "y", "type": "array", "shape": [2]},
          {"name": "after", "type": "array", "shape": [2]}
          """, extra: #""state": [{"output": "after", "input": "before"}]"#),
      backend: FakeBackend(
        FakeModel(inputs: [two, two], outputs: [two, two]) { (inputs) throws(ModelError) in
          let sum = try add(inputs)
          return sum + sum
        }))
  }

  private static let add: FakeModel.Function = { inputs in
    let pairs = inputs.map { $0.values(of: Float.self) }
    return [zip(pairs[0], pairs[1]).map { $0 + $1 }.rawBytes]
  }

  private static func rejected(_ name: String, _ error: ModelError) throws -> TestModel {
    TestModel(name: name, bundle: try TestBundle(), backend: FakeBackend(failingWith: error))
  }

  private static func failing(_ name: String, _ reason: ModelError.Reason) throws -> TestModel {
    TestModel(
      name: name, bundle: try TestBundle(),
      backend: FakeBackend(
        FakeModel(inputs: [two], outputs: [two]) { (_) throws(ModelError) in
          throw ModelError(.run, reason)
        }))
  }
}

/// A number of failures that are left to simulate.
final class FailureBudget: Sendable {
  private let remaining: Mutex<Int>

  init(count: Int) { remaining = Mutex(count) }

  /// Consumes one failure; returns false if none are left.
  func consume() -> Bool {
    remaining.withLock { remaining in
      remaining -= 1
      return remaining >= 0
    }
  }
}
