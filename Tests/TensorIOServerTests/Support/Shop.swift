import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOServer
import TensorIOTestSupport
import Testing

/// Some models behind the routes that answer for them, without a socket.
struct Shop {
  let figures = ServerMetrics()
  let table: Router
  private let bundles: [TestBundle]

  init(status: ServerStatus = ServerStatus(), isolation: Isolation.Level? = nil) throws {
    let goods = try Goods.all()
    bundles = goods.compactMap(\.bundle)
    let entries = try goods.map { good in
      try ModelCatalog.Entry(
        name: good.name, path: "/secret/\(good.name)",
        bundle: good.bundle.map { .success(try $0.read()) }
          ?? .failure(ModelError(.bundle, .missingFile("/secret/x"), file: "/secret")))
    }
    let models = Dictionary(uniqueKeysWithValues: goods.map { ($0.name, $0) })
    let catalogue = ModelCatalog(entries) { (entry) throws(ModelError) in
      guard let good = models[entry.name] else { throw ModelError(.bundle, .missingBundle) }
      return try good.open(entry)
    }
    table = Router(
      PredictionRoutes(catalogue, figures, version: "1.2.3", status: status, isolation: isolation)
        .routes)
  }

  /// Asks a model.
  func ask(
    _ model: String, _ type: String?, _ body: [UInt8], query: String = ""
  ) throws -> HTTPResponse {
    let target = try #require(RequestTarget("/v2/models/\(model)/predict\(query)"))
    var headers = HTTPHeaders()
    headers["Content-Type"] = type
    return table.respond(to: HTTPRequest(.post, target, headers: headers, body: body))
  }

  /// Asks a model with JSON.
  func ask(_ model: String, json: String, query: String = "") throws -> HTTPResponse {
    try ask(model, "application/json", Array(json.utf8), query: query)
  }

  /// Asks for something.
  func get(_ path: String) throws -> HTTPResponse {
    table.respond(to: HTTPRequest(.get, try #require(RequestTarget(path))))
  }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }

  func tree() throws -> JSONTree { try JSONTree(text) }

  /// The short name of an error.
  func code() throws -> String? { try tree()["error"]?["code"]?.string }
}

/// A model on offer.
struct Goods: Sendable {
  let name: String
  /// Nothing for one that is broken.
  let bundle: TestBundle?
  let backend: FakeBackend
  /// The openings that a worker's end spoils.
  var spoilt = Spoilt(openings: 0)

  func open(_ entry: ModelCatalog.Entry) throws(ModelError) -> Model {
    guard let bundle = try entry.bundle?.get() else {
      throw ModelError(.bundle, .missingBundle)
    }
    guard !spoilt.next() else { throw ModelError(.run, .workerCrashed(detail: "/secret")) }
    return try Model(bundle, on: backend, options: Model.Options(threads: 1))
  }

  static func all() throws -> [Goods] {
    [
      Goods(name: "pair", bundle: try TestBundle(), backend: FakeBackend(.pair)),
      try picture(), try sum(), try counter(),
      Goods(name: "broken", bundle: nil, backend: FakeBackend(.pair)),
      try refused("refused", ModelError(.runtime, .modelRejected(detail: "/secret/model.tflite"))),
      try refused(
        "runtimeless",
        ModelError(
          .runtime,
          .runtimeMissing(.init(backend: .tflite, searchResults: ["/secret/lib.so"], installCommand: "/secret")))),
      try failing("failing", .callFailed(function: "f", status: 1, message: "/secret")),
      try failing("busy", .timedOut),
      try failing("lost", .workerCrashed(detail: "/secret")),
      try failing("aside", .suspended(crashes: 3, seconds: 60)),
      Goods(
        name: "once-lost", bundle: try TestBundle(),
        backend: FakeBackend(.pair), spoilt: Spoilt(openings: 1)),
    ]
  }

  /// Gives the two pixels that it takes as six scores.
  private static func picture() throws -> Goods {
    let labels = ["a", "b", "c", "d", "e", "f"]
    return Goods(
      name: "picture",
      bundle: try TestBundle(
        inputs: #"{"name": "x", "type": "image", "shape": [1, 2, 3], "format": "RGB"}"#,
        outputs: #"{"name": "y", "type": "array", "shape": [6], "labels": "labels.txt"}"#,
        model: #""file": "model.tflite", "quantized": true, "backend": "tflite""#,
        labels: labels.joined(separator: "\n")),
      backend: FakeBackend(
        .identity(TensorInfo(name: "t", elementType: .uint8, shape: [1, 1, 2, 3]))))
  }

  private static let two = TensorInfo(name: "t", elementType: .float32, shape: [1, 2])

  /// Adds two pairs.
  private static func sum() throws -> Goods {
    Goods(
      name: "sum",
      bundle: try TestBundle(
        inputs: """
          {"name": "left", "type": "array", "shape": [2]},
          {"name": "right", "type": "array", "shape": [2]}
          """), backend: FakeBackend(FakeModel(inputs: [two, two], outputs: [two], add)))
  }

  /// Adds what it takes to what it remembers.
  private static func counter() throws -> Goods {
    Goods(
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

  private static func refused(_ name: String, _ error: ModelError) throws -> Goods {
    Goods(name: name, bundle: try TestBundle(), backend: FakeBackend(failingWith: error))
  }

  private static func failing(_ name: String, _ reason: ModelError.Reason) throws -> Goods {
    Goods(
      name: name, bundle: try TestBundle(),
      backend: FakeBackend(
        FakeModel(inputs: [two], outputs: [two]) { (_) throws(ModelError) in
          throw ModelError(.run, reason)
        }))
  }
}

/// How many times more something is spoilt.
final class Spoilt: Sendable {
  private let left: Mutex<Int>

  init(openings: Int) { left = Mutex(openings) }

  func next() -> Bool {
    left.withLock { left in
      left -= 1
      return left >= 0
    }
  }
}
