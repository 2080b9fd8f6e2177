import TensorIOCore

/// The fields of a small message by number; of repeated fields, the last occurrence.
struct ProtobufFields {
  private var values: [UInt64: ProtobufValue] = [:]

  /// Fields with larger numbers are ignored, so that messages of any length take little memory.
  private static let maxNumber: UInt64 = 64

  /// Reads a message.
  ///
  /// - Throws: A ``ClientError`` if it is malformed.
  init(_ message: ProtobufMessage, of name: String) throws(ClientError) {
    var values: [UInt64: ProtobufValue] = [:]
    do throws(ProtobufError) {
      try message.forEachField { (number, value) throws(ProtobufError) in
        if number <= Self.maxNumber { values[number] = value }
      }
    } catch {
      throw ClientError(error, in: name)
    }
    self.values = values
  }

  subscript(number: UInt64) -> ProtobufValue? { values[number] }

  /// Returns a string; empty if the field is missing.
  func string(_ number: UInt64, of name: String) throws(ClientError) -> String {
    do throws(ProtobufError) {
      return try values[number]?.string() ?? ""
    } catch {
      throw ClientError(error, in: name)
    }
  }

  /// Returns a Boolean; false if the field is missing.
  func bool(_ number: UInt64, of name: String) throws(ClientError) -> Bool {
    do throws(ProtobufError) {
      return try values[number]?.integer() ?? 0 != 0
    } catch {
      throw ClientError(error, in: name)
    }
  }
}

extension ProtobufMessage {
  /// Returns the entries of a map.
  ///
  /// - Throws: A ``ClientError`` if the message is malformed, or there are too many entries.
  func entries(_ number: UInt64, of name: String) throws(ClientError) -> [String: ProtobufMessage] {
    var entries: [String: ProtobufMessage] = [:]
    do throws(ProtobufError) {
      try forEachField { (field, value) throws(ProtobufError) in
        guard field == number else { return }
        let (key, value) = try value.message().mapEntry()
        entries[key] = value
        guard entries.count <= Self.maxEntryCount else { throw .tooManyEntries }
      }
    } catch {
      throw ClientError(error, in: name)
    }
    return entries
  }

  /// The maximum number of entries of a map.
  static let maxEntryCount = 1024

  /// Returns the dimensions of a tensor in one occurrence of a repeated field.
  static func dimensions(_ value: ProtobufValue) throws(ProtobufError) -> [Int] {
    if case .lengthDelimited(let message) = value, message.count > maxDimensionBytes {
      throw .tooManyEntries
    }
    return try value.integers()
  }

  /// The maximum number of bytes of packed dimensions.
  private static let maxDimensionBytes = 320
  /// The maximum number of dimensions of a tensor.
  static let maxDimensionCount = 32

  /// Returns the model that a message names in two of its first fields, to find its queue.
  ///
  /// The rest of the message may be malformed.
  func modelSelector(name: UInt64 = 1, version: UInt64 = 2) -> ModelSelector? {
    var selector: ModelSelector?
    var count = 0
    do throws(ProtobufError) {
      try forEachField { (field, value) throws(ProtobufError) in
        count += 1
        if field == name { selector = ModelSelector(try value.string()) }
        if field == version, let text = try? value.string(), !text.isEmpty {
          selector?.version = text
        }
        guard field <= max(name, version), count < Self.maxExaminedFields else {
          throw .tooManyEntries
        }
      }
    } catch { return selector }
    return selector
  }

  /// The number of fields that are examined on the event loop's thread.
  private static let maxExaminedFields = 16
}

extension ProtobufValue {
  /// Returns the memory of one number of a fixed size, or of several that are packed.
  func memory(size: Int) throws(ProtobufError) -> ArraySlice<UInt8> {
    switch self {
    case .fixedWidth(let bytes) where bytes.count == size: return bytes.contents
    case .lengthDelimited(let bytes) where bytes.count % size == 0: return bytes.contents
    case .lengthDelimited: throw .truncated
    case .fixedWidth, .varint: throw .unexpectedWireType
    }
  }

  /// The memory that the elements of one occurrence of a repeated field take at most, including what arrays keep free
  /// to grow.
  ///
  /// An integer in the message can have one byte, and a byte string only its length.
  func maxByteCount(isInteger: Bool, isString: Bool = false) -> Int {
    guard case .lengthDelimited(let message) = self else { return Self.bytesPerInteger }
    if isString { return Self.bytesPerString + message.count }
    return message.count * (isInteger ? Self.bytesPerInteger : 2)
  }

  /// The memory for an integer, which can have one byte in a message.
  static let bytesPerInteger = 24
  private static let bytesPerString = 64

  /// Appends the integers of one occurrence of a repeated field, packed or not.
  ///
  /// - Throws: ``ProtobufError`` if the field does not hold integers, or there are more than the
  ///   limit.
  func appendIntegers<Element>(
    to elements: inout [Element], limit: Int, _ element: (UInt64) -> Element
  ) throws(ProtobufError) {
    switch self {
    case .varint(let number):
      guard elements.count < limit else { throw .tooManyEntries }
      elements.append(element(number))
    case .lengthDelimited(let message):
      var (number, shift): (UInt64, UInt64) = (0, 0)
      for byte in message.contents {
        guard shift < 70 else { throw .unterminatedVarint }
        number |= UInt64(byte & 0x7F) << shift
        shift += 7
        guard byte < 0x80 else { continue }
        guard elements.count < limit else { throw .tooManyEntries }
        elements.append(element(number))
        (number, shift) = (0, 0)
      }
      guard shift == 0 else { throw .truncated }
    case .fixedWidth: throw .unexpectedWireType
    }
  }
}

extension ClientError {
  /// A request is not a message of a type.
  init(_ error: ProtobufError, in name: String) {
    self.init(.badRequest, "malformed-message", "malformed \(name): \(error.rawValue)")
  }

  /// The server could not write a message.
  init(_ error: ProtobufConversionError) {
    self.init(
      .internalServerError, "internal-error", "the response could not be written: \(error.message)")
  }
}
