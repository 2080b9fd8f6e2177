import Synchronization
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON
@testable import TensorIOServer

/// Counts how often readers ask whether a request is still needed.
private final class CheckCount: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock(\.self) }

  func increment() { count.withLock { $0 += 1 } }
  func reset() { count.withLock { $0 = 0 } }
}

/// Requests that are small, or use little memory when they are received, and become large while they are read.
@Suite(.hangGuard) struct RequestMemoryTests {
  private static let mebibyte = 1 << 20

  /// A request, how it is read, and the memory that its values need at least.
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let neededBytes: Int
    let read: @Sendable (RequestContext) throws -> Void

    init(
      _ name: String, needing bytes: Int,
      _ read: @escaping @Sendable (RequestContext) throws -> Void
    ) {
      (testDescription, neededBytes, self.read) = (name, bytes, read)
    }
  }

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  private static func ones(_ count: Int) -> String { repeated("1,", count - 1) + "1" }

  private static func tensorFlow(
    type: UInt64, length: Int, _ write: (inout ProtobufWriter) -> Void
  ) -> ProtobufMessage {
    var writer = ProtobufWriter()
    writer.varint(1, type)
    writer.message(2) { $0.message(2) { $0.varint(1, UInt64(length)) } }
    write(&writer)
    return ProtobufMessage(writer.bytes)
  }

  private static func inferMessage(_ type: String, _ write: (inout ProtobufWriter) -> Void)
    -> [UInt8]
  {
    var writer = ProtobufWriter()
    writer.string(1, "model")
    writer.message(5) { writer in
      writer.string(1, "x")
      writer.string(2, type)
      writer.message(5, write)
    }
    return writer.bytes
  }

  private static let count = 1 << 18

  private static let cases = [
    Case("JSON", needing: 16 * count) { context in
      _ = try StandardRoute.object(Array("{\"instances\":[[\(ones(count))]]}".utf8), context)
    },
    Case("gzip", needing: 4 << 20) { context in
      let zeros = try #require(ContentCoding.gzip.compress([UInt8](repeating: 0, count: 4 << 20)))
      #expect(zeros.count < 20_000)
      _ = try context.decompressed(zeros, .gzip, limit: 64 << 20, "body")
    },
    Case("CSV", needing: 8 * count) { context in
      _ = try InferenceTable(csv: Array(ones(count).utf8), context)
    },
    Case("a data frame", needing: 8 * count) { context in
      let json = "{\"columns\":[],\"data\":[[\(ones(count))]]}"
      let node = try JSONDocument(parsing: Array(json.utf8), limits: JSONLimits(bytes: 1 << 26))
        .root
      _ = try InferenceTable(split: node, context)
    },
    Case("shared features", needing: 1000 * 1000) { context in
      let members = (0..<1000).map { "\"a\($0)\":1" }.joined(separator: ",")
      let json = "{\"examples\":[\(repeated("{\"b\":1},", 999)){\"b\":1}],\"context\":{\(members)}}"
      let root = try JSONDocument(parsing: Array(json.utf8)).root
      _ = try InferenceTable(examples: root["examples"], shared: root["context"], context)
    },
    Case("tensors in JSON", needing: 8 * count) { context in
      let tensor =
        "{\"name\":\"x\",\"datatype\":\"INT64\",\"shape\":[\(count)],\"data\":[\(ones(count))]}"
      _ = try OpenInferenceRequestReader(
        Array("{\"inputs\":[\(tensor)]}".utf8), headerLength: nil, model: ModelSelector("m"),
        context
      ).request()
    },
    Case("strings in JSON", needing: 8 * count) { context in
      let texts = repeated("\"\",", count - 1) + "\"\""
      let tensor =
        "{\"name\":\"x\",\"datatype\":\"BYTES\",\"shape\":[\(count)],\"data\":[\(texts)]}"
      _ = try OpenInferenceRequestReader(
        Array("{\"inputs\":[\(tensor)]}".utf8), headerLength: nil, model: ModelSelector("m"),
        context
      ).request()
    },
    Case("a repeated number", needing: 4 << 20) { context in
      let message = tensorFlow(type: 1, length: 1 << 20) { $0.bytes(5, [0, 0, 0, 0]) }
      _ = try TensorFlowTensor.tensor(message, "x", context).filled(context)
    },
    Case("a repeated string", needing: 8 << 20) { context in
      let message = tensorFlow(type: 7, length: 1 << 20) { $0.string(8, "a") }
      _ = try TensorFlowTensor.tensor(message, "x", context).filled(context)
    },
    Case("packed integers of TensorFlow", needing: 8 * count) { context in
      let message = tensorFlow(type: 9, length: count) {
        $0.bytes(10, [UInt8](repeating: 1, count: count))
      }
      _ = try TensorFlowTensor.tensor(message, "x", context)
    },
    Case("packed integers", needing: 8 * count) { context in
      let bytes = inferMessage("INT64") { $0.bytes(3, [UInt8](repeating: 1, count: count)) }
      _ = try ModelInferMessage.request(bytes, context)
    },
    Case("byte strings", needing: 8 * count) { context in
      let bytes = inferMessage("BYTES") { writer in
        for _ in 0..<count { writer.bytes(8, []) }
      }
      _ = try ModelInferMessage.request(bytes, context)
    },
  ]

  @Test("what reading takes is reserved before it is allocated", arguments: cases)
  func reserved(_ example: Case) throws {
    let large = RequestContext(memory: MemoryReservation(MemoryBudget(byteCount: 1 << 30)))
    try example.read(large)
    #expect(large.memory.byteCount >= example.neededBytes)
    let small = RequestContext(memory: MemoryReservation(MemoryBudget(byteCount: 1 << 19)))
    let error = #expect(throws: ClientError.self) { try example.read(small) }
    #expect(error?.status == .contentTooLarge && error?.code == "memory-exceeded")
    #expect(GRPCStatus(try #require(error).response) == .resourceExhausted)
  }

  @Test("reading stops when the response is not needed anymore", arguments: cases)
  func canceled(_ example: Case) {
    let context = RequestContext()
    context.cancel()
    // Those that make one short message large are done at once.
    #expect(throws: (any Error).self) { try example.read(context) }
  }

  @Test func `Numbers are checked for cancellation while they are parsed and read`() throws {
    let parsed = 1 << 18
    let checks = CheckCount()
    let text = Array("[\(Self.ones(parsed))]".utf8)
    let document = try JSONDocument(parsing: text, limits: JSONLimits(bytes: 1 << 24)) {
      checks.increment()
      return false
    }
    #expect(checks.value >= parsed / (1 << 15))
    checks.reset()
    var values: [Double] = []
    _ = try document.root.numbers(into: &values)
    #expect(checks.value >= parsed / (1 << 15))
    for type in [JSONArrayReader.ElementType.float, .double, .signed] {
      checks.reset()
      var reader = JSONArrayReader(text, at: 0) {
        checks.increment()
        return false
      }
      _ = try reader.read(type, capacity: parsed)
      #expect(checks.value >= parsed / (1 << 17), "\(type)")
    }
  }

  @Test func `Others that hold memory are a reason to try again`() throws {
    let budget = MemoryBudget(byteCount: 8 * Self.mebibyte)
    let other = MemoryReservation(budget)
    try other.grow(by: 6 * Self.mebibyte)
    let context = RequestContext(memory: MemoryReservation(budget))
    let error = #expect(throws: ClientError.self) {
      _ = try StandardRoute.object(Array("{\"instances\":[\(Self.ones(1 << 15))]}".utf8), context)
    }
    #expect(error?.status == .tooManyRequests)
    #expect(error?.response.headers["Retry-After"] == "1")
  }
}
