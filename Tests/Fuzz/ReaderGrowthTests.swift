import Foundation
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOData
@testable import TensorIOServer

/// The processor time of readers of what clients and files contain, which must grow like the input.
///
/// A reader whose time grows with the square of its input is a way to stop a server with a small request.
@Suite(.serialized, .hangGuard) struct ReaderGrowthTests {
  struct Reader: CustomTestStringConvertible {
    let testDescription: String
    /// Returns an input with about a number of values.
    let input: @Sendable (Int) -> [UInt8]
    let read: @Sendable ([UInt8]) throws -> Void

    init(
      _ name: String, _ input: @escaping @Sendable (Int) -> [UInt8],
      _ read: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
      (testDescription, self.input, self.read) = (name, input, read)
    }
  }

  /// The number of values of the smaller input; the larger one has ``factor`` times as many.
  private static let count = 1000
  private static let factor = 64
  /// The largest exponent; noise of a factor of 1.5 is within it, and the square of the input far beyond.
  private static let maxExponent = 1.1
  /// How often a reader is measured: at least so often, and more often while other processes slow it down.
  private static let rounds = 3...40

  private static func list(_ value: String, _ count: Int, separator: String = ",") -> String {
    Array(repeating: value, count: count).joined(separator: separator)
  }

  private static func json(_ first: String, _ value: String, _ last: String)
    -> @Sendable (Int) -> [UInt8]
  {
    { count in Array((first + list(value, count) + last).utf8) }
  }

  private static func document(_ bytes: [UInt8]) throws -> JSONNode {
    try JSONDocument(parsing: bytes, limits: JSONLimits(bytes: 1 << 27)).root
  }

  private static func openInference(
    _ bytes: [UInt8], headerLength: Int? = nil
  ) throws -> InferenceRequest {
    try OpenInferenceRequestReader(
      bytes, headerLength: headerLength, model: selector, RequestContext()
    ).request()
  }

  private static func form(_ bytes: [UInt8]) throws {
    let type = try #require(MediaType("multipart/form-data; boundary=b"))
    _ = try MultipartForm(bytes, type).parts
  }

  /// A model whose only input takes rows of any length.
  private static let metadata = InferenceModelMetadata(
    name: "m", version: "1", versions: ["1"], platform: "none",
    inputs: [
      .init(
        name: "x", datatype: .fp32, shape: [-1, -1], hasBatchAxis: true, imageLayout: nil,
        hasLabels: false)
    ],
    outputs: [], maxBatchSize: 1024, bundle: nil)

  private static func message(
    _ type: String, _ write: @escaping @Sendable (inout ProtobufWriter, Int) -> Void
  ) -> @Sendable (Int) -> [UInt8] {
    { count in
      var writer = ProtobufWriter()
      writer.string(1, "model")
      writer.message(5) { writer in
        writer.string(1, "x")
        writer.string(2, type)
        writer.message(5) { write(&$0, count) }
      }
      return writer.bytes
    }
  }

  private static let selector = ModelSelector("m")
  private static let zero = [UInt8](repeating: 0, count: 1)

  private static let readers = [
    Reader("JSON, numbers", json("[", "1.5", "]")) { _ = try document($0) },
    Reader("JSON, strings", json("[", "\"a\"", "]")) { _ = try document($0) },
    Reader("JSON, objects", json("[", "{\"a\":1}", "]")) { _ = try document($0) },
    Reader(
      "JSON, keys",
      { count in
        Array(("{" + (0..<count).map { "\"k\($0)\":1" }.joined(separator: ",") + "}").utf8)
      }
    ) { _ = try document($0) },
    Reader("instances of one number", json("{\"instances\":[", "1", "]}")) { bytes in
      let root = try document(bytes)
      // More than a request may have; the rest of the reader is measured by the next one.
      _ = try? PredictRequestReader(selector, metadata).request(root)
    },
    Reader("instances, one long row", json("{\"instances\":[[", "1", "]]}")) { bytes in
      _ = try PredictRequestReader(selector, metadata).request(document(bytes))
    },
    Reader("inputs, nested", json("{\"inputs\":[[", "1.25", "]]}")) { bytes in
      _ = try PredictRequestReader(selector, metadata).request(document(bytes))
    },
    Reader("data frame, split", json("{\"data\":[[", "1", "]]}")) { bytes in
      let table = try InferenceTable(split: document(bytes), RequestContext())
      _ = try table.request(selector, metadata)
    },
    Reader(
      "data frame, records",
      { count in
        Array(("[{" + (0..<count).map { "\"k\($0)\":1" }.joined(separator: ",") + "}]").utf8)
      }
    ) { bytes in
      let table = try InferenceTable(records: document(bytes), RequestContext())
      _ = try table.request(selector, metadata)
    },
    Reader(
      "CSV of a request", { count in Array((list("1", count) + "\n" + list("2", count)).utf8) }
    ) { bytes in
      let table = try InferenceTable(csv: bytes, RequestContext())
      _ = try table.request(selector, metadata)
    },
    Reader(
      "CSV with exponents and texts", { count in Array(list("1e2,\"a\"\"b\"", count / 4).utf8) }
    ) {
      _ = try InferenceTable(csv: $0, RequestContext())
    },
    Reader(
      "tensor in JSON",
      { count in
        Array(
          "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[\(count)],\"data\":[\(list("1.5", count))]}]}"
            .utf8)
      }
    ) { _ = try openInference($0) },
    Reader(
      "strings in JSON",
      { count in
        Array(
          "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"BYTES\",\"shape\":[\(count)],\"data\":[\(list("\"a\"", count))]}]}"
            .utf8)
      }
    ) { _ = try openInference($0) },
    Reader(
      "many inputs in JSON",
      { count in
        let input = "{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[1],\"data\":[1]}"
        return Array(
          "{\"inputs\":[\(list(input, min(1024, count / 8)))],\"parameters\":{\"p\":\"\(list("a", count * 8))\"}}"
            .utf8)
      }
    ) { _ = try openInference($0) },
    Reader(
      "byte strings in memory",
      { count in
        let header = "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"BYTES\",\"shape\":[\(count)]}]}"
        return Array(header.utf8) + Array(repeating: [1, 0, 0, 0, 65], count: count).joined()
      }
    ) { bytes in
      let end = try #require(bytes.firstRange(of: Array("]}]}".utf8))?.upperBound)
      _ = try openInference(bytes, headerLength: end)
    },
    Reader(
      "message, packed integers", message("INT64") { $0.bytes(3, [UInt8](repeating: 1, count: $1)) }
    ) {
      _ = try ModelInferMessage.request($0, RequestContext())
    },
    Reader(
      "message, single integers",
      message("INT64") { writer, count in
        for _ in 0..<count { writer.varint(3, 1) }
      }
    ) { _ = try ModelInferMessage.request($0, RequestContext()) },
    Reader(
      "message, byte strings",
      message("BYTES") { writer, count in
        for _ in 0..<count { writer.bytes(8, [65]) }
      }
    ) { _ = try ModelInferMessage.request($0, RequestContext()) },
    Reader(
      "TensorProto, strings",
      { count in
        var writer = ProtobufWriter()
        writer.varint(1, 7)
        writer.message(2) { $0.message(2) { $0.varint(1, UInt64(count)) } }
        for _ in 0..<count { writer.string(8, "a") }
        return writer.bytes
      }
    ) { _ = try TensorFlowTensor.tensor(ProtobufMessage($0), "x", RequestContext()) },
    Reader(
      "TensorProto, a repeated number",
      { count in
        var writer = ProtobufWriter()
        writer.varint(1, 1)
        writer.message(2) { $0.message(2) { $0.varint(1, UInt64(count * 8)) } }
        writer.bytes(5, [0, 0, 128, 63])
        return writer.bytes
      }
    ) {
      _ = try TensorFlowTensor.tensor(ProtobufMessage($0), "x", RequestContext()).filled(
        RequestContext())
    },
    Reader(
      "multipart form",
      { count in
        let part =
          "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\(list("1", count / 50))\r\n"
        return Array((list(part, 100, separator: "") + "--b--\r\n").utf8)
      }
    ) { try form($0) },
    Reader(
      "multipart form, one part of almost boundaries",
      { count in
        let part = "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n"
        return Array((part + list("\r\n--", count, separator: "") + "\r\n--b--\r\n").utf8)
      }
    ) { try form($0) },
    Reader(
      "gzip",
      { count in
        ContentCoding.gzip.compress(
          (0..<count * 8).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }) ?? []
      }
    ) { _ = ContentCoding.gzip.decompress($0, limit: 1 << 28) },
    Reader(
      "NumPy",
      { count in
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (\(count),)}"
        let size = UInt16(header.utf8.count)
        return [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(size & 255), UInt8(size >> 8)]
          + Array(header.utf8)
          + [UInt8](repeating: 0, count: 4 * count)
      }
    ) { _ = try NumPyArray($0) },
    Reader("CSV of a data set", { count in Array((list("1,a", count / 2, separator: "\n")).utf8) })
    { bytes in
      var reader = CSVReader(bytes, separator: UInt8(ascii: ","))
      while reader.next() != nil {}
    },
    Reader(
      "XML of a data set",
      { count in
        Array(("<a>" + list("<b>1</b>", count / 4, separator: "") + "</a>").utf8)
      }
    ) { _ = try XMLReader.read($0) },
    Reader("directory of an archive", { archiveDirectory($0 / 32) }) { bytes in
      let folder = try TemporaryDirectory(prefix: "tensorio-growth")
      let path = folder.path + "/a.zip"
      try AtomicFile.write(bytes, to: path, isDurable: false)
      _ = try ZipCentralDirectory(of: RandomAccessFile(at: path))
    },
  ]

  /// Returns the directory of an archive with files that have a comment each.
  private static func archiveDirectory(_ count: Int) -> [UInt8] {
    func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
      (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let comment = [UInt8](repeating: UInt8(ascii: "c"), count: 1024)
    var bytes: [UInt8] = []
    for index in 0..<count {
      let name = Array("file-\(index)".utf8)
      // From the signature to the sizes; those of name, extra fields and comment; disk, attributes and offset.
      bytes += [0x50, 0x4B, 1, 2] + [UInt8](repeating: 0, count: 24)
      bytes += number(name.count, 2) + number(0, 2) + number(comment.count, 2)
      bytes += [UInt8](repeating: 0, count: 12) + name + comment
    }
    let end: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
    return bytes + end + number(count, 2) + number(count, 2) + number(bytes.count, 4)
      + number(0, 4) + number(0, 2)
  }

  @Test("processor time grows like the input", arguments: readers)
  func linear(_ reader: Reader) throws {
    let (small, large) = (reader.input(Self.count), reader.input(Self.count * Self.factor))
    var best = (small: Duration.seconds(1000), large: Duration.seconds(1000))
    var exponent = Double.infinity
    for round in 1...Self.rounds.upperBound
    where round <= Self.rounds.lowerBound || exponent >= Self.maxExponent {
      best.small = min(
        best.small, try ThreadTime.measure { for _ in 0..<8 { try reader.read(small) } } / 8)
      best.large = min(best.large, try ThreadTime.measure { try reader.read(large) })
      exponent = log(best.large / best.small) / log(Double(Self.factor))
    }
    #expect(exponent < Self.maxExponent, "\(best.small) and \(best.large): exponent \(exponent)")
  }
}
