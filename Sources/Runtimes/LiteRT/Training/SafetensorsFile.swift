import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem

/// The values of variables in a file in the safetensors format: the byte count of a JSON header,
/// the header with each tensor's type, shape and range, and the data.
struct SafetensorsFile {
  /// A tensor and its data.
  struct Entry {
    let name: String
    let elementType: ElementType
    let shape: [Int]
    var data: [UInt8]
  }

  var entries: [Entry]

  private static let lengthByteCount = 8
  /// Far more than the header of any model needs, in bytes per tensor.
  private static let maxHeaderByteCountPerEntry = 1 << 14

  /// The contents of the file.
  var bytes: [UInt8] {
    var writer = JSONWriter()
    var end = 0
    writer.object { writer in
      for entry in entries {
        let start = end
        end += entry.data.count
        writer.member(entry.name) { writer in
          writer.member("dtype", entry.elementType.safetensorsName ?? "")
          writer.key("shape")
          writer.numbers(entry.shape)
          writer.key("data_offsets")
          writer.numbers([start, end])
        }
      }
    }
    var header = writer.bytes
    while !header.count.isMultiple(of: Self.lengthByteCount) { header.append(ASCII.space) }
    let length = (0..<Self.lengthByteCount).map {
      UInt8(truncatingIfNeeded: UInt64(header.count) >> (8 * $0))
    }
    return entries.reduce(into: length + header) { $0 += $1.data }
  }

  /// Reads a file with the data of the given tensors.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - expected: The names, types and shapes of the tensors.
  /// - Throws: `ModelError` if the file cannot be read or has other tensors.
  init(_ path: String, expecting expected: [Entry]) throws(ModelError) {
    entries = expected
    let dataCount = expected.reduce(0) { $0 + $1.data.count }
    let limit =
      Self.lengthByteCount + (1 + expected.count) * Self.maxHeaderByteCountPerEntry + dataCount
    let bytes = try FileBytes.read(path, limit: limit)
    try read(bytes, path)
  }

  init(_ entries: [Entry]) {
    self.entries = entries
  }

  private mutating func read(_ bytes: [UInt8], _ path: String) throws(ModelError) {
    func unreadable(_ detail: String) -> ModelError {
      ModelError(.bundle, .unreadableFile(path, detail: detail))
    }
    let length = bytes.prefix(Self.lengthByteCount).reversed().reduce(UInt64(0)) {
      $0 << 8 | UInt64($1)
    }
    guard bytes.count >= Self.lengthByteCount,
      length <= UInt64(bytes.count - Self.lengthByteCount)
    else { throw unreadable("the file is truncated") }
    let dataStart = Self.lengthByteCount + Int(length)
    let header = Array(bytes[Self.lengthByteCount..<dataStart])
    guard let document = try? JSONDocument(parsing: header), let members = document.root.members
    else { throw unreadable("it is not a safetensors file") }
    let names = members.map(\.name).filter { $0 != "__metadata__" }
    if let unknown = names.sorted().first(where: { name in
      !entries.contains { $0.name == name }
    }) {
      throw unreadable("the model has no variable '\(unknown)'")
    }
    for index in entries.indices {
      let entry = entries[index]
      guard let node = document.root[entry.name] else {
        throw unreadable("it has no value for the variable '\(entry.name)'")
      }
      let shape = node["shape"]?.elements?.map { $0.int.map(Int.init) ?? -1 }
      guard shape == entry.shape, node["dtype"]?.string == entry.elementType.safetensorsName else {
        let expected =
          "\(entry.elementType) with the shape \(TensorShape(signedDimensions: entry.shape))"
        throw unreadable("its value for the variable '\(entry.name)' is not \(expected)")
      }
      let offsets = node["data_offsets"]?.elements?.compactMap { $0.int.map(Int.init) } ?? []
      guard offsets.count == 2, offsets[0] >= 0, offsets[1] <= bytes.count - dataStart,
        offsets[1] - offsets[0] == entry.data.count
      else { throw unreadable("the file is truncated") }
      entries[index].data = Array(bytes[dataStart + offsets[0]..<dataStart + offsets[1]])
    }
  }
}

extension ElementType {
  /// The name of the type in the safetensors format; `nil` for strings.
  fileprivate var safetensorsName: String? {
    switch self {
    case .float16: "F16"
    case .float32: "F32"
    case .float64: "F64"
    case .int8: "I8"
    case .int16: "I16"
    case .int32: "I32"
    case .int64: "I64"
    case .uint8: "U8"
    case .bool: "BOOL"
    case .string: nil
    }
  }
}
