import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// Writes inference responses of the Open Inference Protocol: JSON, binary tensors after it, or both.
struct OpenInferenceResponseWriter: Sendable {
  /// The header with the number of bytes of JSON before the binary tensors.
  static let headerLengthName = "Inference-Header-Content-Length"

  private let binaryOutputs: Set<String>
  private let isBinaryByDefault: Bool
  /// How most outputs are represented.
  let format: InferenceResponse.Format
  private let context: RequestContext

  /// Creates a writer for the response to a request.
  init(_ request: InferenceRequest, _ context: RequestContext) {
    self.context = context
    binaryOutputs = Set(
      request.outputs.filter { $0.parameters["binary_data"]?.bool == true }.map(\.name))
    // An output that the request lists decides for itself.
    isBinaryByDefault =
      request.isRaw
      || request.outputs.isEmpty && request.parameters["binary_data_output"]?.bool == true
    let isBinary = isBinaryByDefault || request.outputs.count == binaryOutputs.count
    format = isBinary && (isBinaryByDefault || !request.outputs.isEmpty) ? .binary : .text
  }

  /// Returns the response; an error if an output cannot be JSON.
  func response(_ response: InferenceResponse) -> HTTPResponse {
    let (header, binary): ([UInt8], [UInt8]?)
    do throws(ClientError) {
      (header, binary) = try body(of: response)
    } catch {
      return error.response
    }
    guard let binary else { return HTTPResponse(type: "application/json", body: header) }
    var result = HTTPResponse(type: "application/octet-stream", body: header + binary)
    result.headers[Self.headerLengthName] = String(header.count)
    return result
  }

  /// Returns the JSON and the binary tensors of a response; `nil` if all of it is JSON.
  ///
  /// - Throws: A ``ClientError`` if an output must be JSON, and a byte string in it is not UTF-8.
  func body(
    of response: InferenceResponse
  ) throws(ClientError) -> (header: [UInt8], binary: [UInt8]?) {
    for output in response.outputs where !isBinary(output) {
      guard output.strings?.allSatisfy(\.isUTF8) == false else { continue }
      throw ClientError(
        .badRequest, "invalid-output",
        "output '\(output.name)' holds bytes that are not UTF-8; "
          + "request it with \"binary_data\": true")
    }
    var binary: [UInt8] = []
    var hasBinary = false
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("model_name", response.modelName)
      writer.member("model_version", response.modelVersion)
      if let id = response.id { writer.member("id", id) }
      writer.member(
        "outputs",
        array: { writer in
          for output in response.outputs {
            let isBinary = isBinary(output)
            let bytes = isBinary ? output.binary : []
            hasBinary = hasBinary || isBinary
            writer.object { writer in
              writer.member("name", output.name)
              writer.member("datatype", output.datatype.rawValue)
              writer.key("shape")
              writer.numbers(output.shape)
              if isBinary {
                writer.member(
                  "parameters", object: { $0.member("binary_data_size", bytes.count) })
              } else {
                writer.key("data")
                writer.rawJSON(output.jsonElements(context))
              }
            }
            binary += bytes
          }
        })
    }
    return (writer.bytes, hasBinary ? binary : nil)
  }

  private func isBinary(_ output: InferenceTensor) -> Bool {
    // JSON has no representation of these types.
    isBinaryByDefault || binaryOutputs.contains(output.name)
      || [.fp16, .bf16].contains(output.datatype)
  }
}

extension InferenceTensor {
  /// The number of elements between two checks whether the response is still needed.
  static let checkInterval = 1 << 12

  /// Returns the elements as a flat JSON array, with the literals `NaN`, `Infinity` and `-Infinity`.
  ///
  /// They are incomplete if the request is canceled meanwhile.
  func jsonElements(_ context: RequestContext) -> [UInt8] {
    let text = elementText
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * 8 + 2)
    bytes.append(UInt8(ascii: "["))
    for index in 0..<count {
      if index % Self.checkInterval == 0, context.isCanceled { break }
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += text(index).utf8
    }
    bytes.append(UInt8(ascii: "]"))
    return bytes
  }

  /// Returns an element as JSON; byte strings must be UTF-8.
  var elementText: (Int) -> String {
    switch content {
    case .strings(let strings):
      return { index in
        var writer = JSONWriter(.compact)
        writer.value(String(decoding: strings[index], as: UTF8.self))
        return String(decoding: writer.bytes, as: UTF8.self)
      }
    case .tensor(let tensor): return tensor.elementText
    case .bytes(let memory):
      let size = datatype.byteCount ?? 1
      return { [datatype] index in
        datatype.jsonElement(memory[index * size..<(index + 1) * size])
      }
    }
  }
}

extension [UInt8] {
  /// Whether the bytes are a text.
  var isUTF8: Bool { String(validating: self, as: UTF8.self) != nil }
}

extension Tensor {
  fileprivate var elementText: (Int) -> String {
    if let values = try? array(of: Float.self) { return { values[$0].jsonText } }
    if let values = try? array(of: Double.self) { return { values[$0].jsonText } }
    if let values = try? array(of: Bool.self) { return { values[$0].description } }
    if let values = try? array(of: UInt8.self) { return { values[$0].description } }
    if let values = try? array(of: Int8.self) { return { values[$0].description } }
    if let values = try? array(of: Int16.self) { return { values[$0].description } }
    if let values = try? array(of: Int32.self) { return { values[$0].description } }
    if let values = try? array(of: Int64.self) { return { values[$0].description } }
    let numbers = numbers
    return { numbers?[$0].jsonText ?? "null" }
  }
}

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
  /// The shortest text that reads back as the number.
  var jsonText: String {
    if isFinite { return description }
    return isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity"
  }
}

extension TensorDatatype {
  /// Returns an element as JSON, from its little-endian bytes.
  fileprivate func jsonElement(_ bytes: ArraySlice<UInt8>) -> String {
    let bits = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return switch self {
    case .bool: bits == 0 ? "false" : "true"
    case .fp32: Float(bitPattern: UInt32(truncatingIfNeeded: bits)).jsonText
    case .fp64: Double(bitPattern: bits).jsonText
    case .fp16: HalfFloat.value(of: UInt16(truncatingIfNeeded: bits)).jsonText
    case .bf16: Float(bitPattern: UInt32(truncatingIfNeeded: bits) << 16).jsonText
    default: (try? visitInteger(IntegerTextVisitor(bits: bits))) ?? "null"
    }
  }
}

private struct IntegerTextVisitor: IntegerVisitor {
  let bits: UInt64

  func visit<Integer: FixedWidthInteger>(_ type: Integer.Type) -> String {
    Integer(truncatingIfNeeded: bits).description
  }
}
