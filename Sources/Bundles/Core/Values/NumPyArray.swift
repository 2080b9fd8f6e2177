package import TensorIOBundle

/// The contents of a `.npy` file, format version 1 to 3, little-endian and row-major.
package struct NumPyArray {
  private static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)

  package let numbers: Numbers

  /// Parses the bytes of a file.
  package init(_ bytes: [UInt8]) throws(ModelError) {
    guard bytes.starts(with: Self.magic), bytes.count > 10 else {
      throw Self.invalidFile("not a NumPy file")
    }
    let lengthSize = bytes[6] == 1 ? 2 : 4
    let header = 8 + lengthSize
    guard bytes.count >= header else { throw Self.invalidFile("truncated NumPy header") }
    let length = bytes[8..<header].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard length <= bytes.count - header else {
      throw Self.invalidFile("truncated NumPy header")
    }
    let text = String(decoding: bytes[header..<header + length], as: UTF8.self)
    let shape = try Self.shape(text)
    guard !text.contains("'fortran_order': True") else {
      throw Self.invalidFile("NumPy arrays in column-major order are not supported")
    }
    let type = try Self.type(text)
    let body = Array(bytes[(header + length)...])
    guard let count = TensorShape(signedDimensions: shape).elementCount,
      let size = type.last?.wholeNumberValue, body.count % size == 0, body.count / size == count
    else {
      throw Self.invalidFile(
        "NumPy data has \(body.count) bytes, which do not match shape \(shape)")
    }
    numbers = Numbers(try Self.elements(body, type), shape: shape)
  }

  /// The maximum number of arrays in an archive.
  private static let maxArrays = 1024
  private static let suffix = ".npy"

  /// Reads the arrays of a `.npz` file, with their names.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limit: The maximum size of all arrays, in bytes.
  /// - Returns: The arrays.
  /// - Throws: An ``ArchiveError`` if the file is no archive, is too large or has an array that cannot be read.
  package static func arrays(
    inArchiveAt path: String, limit: Int
  ) throws(ArchiveError) -> [(name: String, numbers: Numbers)] {
    let archive = try ZipArchive(at: path)
    guard archive.entries.count <= maxArrays else {
      throw ArchiveError(.tooManyEntries(archive.entries.count, limit: maxArrays))
    }
    var rest = limit
    var arrays: [(name: String, numbers: Numbers)] = []
    for entry in archive.entries where entry.name.text.hasSuffix(suffix) {
      let bytes = try archive.contents(of: entry, limit: rest)
      rest -= bytes.count
      let name = String(entry.name.text.dropLast(suffix.count))
      do throws(ModelError) {
        arrays.append((name, try NumPyArray(bytes).numbers))
      } catch {
        throw ArchiveError(.unsupported(error.message), entryName: name)
      }
    }
    return arrays
  }

  private static func invalidFile(_ message: String) -> ModelError {
    ModelError(.input, .invalidValue(.init(message)))
  }

  private static func type(_ header: String) throws(ModelError) -> String {
    guard let quoted = header.firstRange(of: "'descr': '") else {
      throw invalidFile("NumPy header has no 'descr'")
    }
    let type = String(header[quoted.upperBound...].prefix { $0 != "'" })
    guard supportedTypes.contains(type) else {
      let supported = supportedTypes.joined(separator: ", ")
      throw invalidFile("unsupported NumPy type '\(type)'; supported types: \(supported)")
    }
    return type
  }

  private static func shape(_ header: String) throws(ModelError) -> [Int] {
    guard let start = header.firstRange(of: "'shape': (") else {
      throw invalidFile("NumPy header has no valid 'shape'")
    }
    let axes = header[start.upperBound...].prefix { $0 != ")" }
      .split { $0 == "," || $0 == " " }.map { Int($0) }
    let lengths = axes.compactMap(\.self)
    guard lengths.count == axes.count, lengths.allSatisfy({ $0 >= 0 }) else {
      throw invalidFile("NumPy header has no valid 'shape'")
    }
    return lengths
  }

  /// The supported element types, as NumPy writes them.
  static let supportedTypes = [
    "<f2", "<f4", "<f8", "|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8",
  ]

  private static func elements(
    _ bytes: [UInt8], _ type: String
  ) throws(ModelError) -> Numbers.Elements {
    switch type {
    case "<f2": .floats(bytes.littleEndian(UInt16.self).map(HalfFloat.value(of:)))
    case "<f4": .floats(bytes.littleEndian(UInt32.self).map(Float.init(bitPattern:)))
    case "<f8": .doubles(bytes.littleEndian(UInt64.self).map(Double.init(bitPattern:)))
    case "|b1": .booleans(bytes.map { $0 != 0 })
    case "|i1": .integers(bytes.map { Int64(Int8(bitPattern: $0)) })
    case "<i2": .integers(bytes.littleEndian(UInt16.self).map { Int64(Int16(bitPattern: $0)) })
    case "<i4": .integers(bytes.littleEndian(UInt32.self).map { Int64(Int32(bitPattern: $0)) })
    case "<i8": .integers(bytes.littleEndian(UInt64.self).map(Int64.init(bitPattern:)))
    case "|u1": .integers(bytes.map(Int64.init))
    case "<u2": .integers(bytes.littleEndian(UInt16.self).map(Int64.init))
    case "<u4": .integers(bytes.littleEndian(UInt32.self).map(Int64.init))
    case "<u8": .integers(try checkedInt64(bytes.littleEndian(UInt64.self)))
    default: throw invalidFile("unsupported NumPy type '\(type)'")
    }
  }

  private static func checkedInt64(_ values: [UInt64]) throws(ModelError) -> [Int64] {
    let signed = values.compactMap { Int64(exactly: $0) }
    guard signed.count == values.count else {
      throw invalidFile("NumPy array has integers beyond 63 bits")
    }
    return signed
  }
}

extension [UInt8] {
  /// Returns the bytes as little-endian integers.
  fileprivate func littleEndian<Word: FixedWidthInteger>(_ type: Word.Type) -> [Word] {
    let size = Word.bitWidth / 8
    return (0..<count / size).map { index in
      self[index * size..<(index + 1) * size].reversed().reduce(0) { $0 << 8 | Word($1) }
    }
  }
}
