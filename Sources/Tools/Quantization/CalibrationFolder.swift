import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOSystem

/// The inputs of some items as NumPy files, from which a quantizer learns the ranges of a model's values.
final class CalibrationFolder {
  /// The path of the folder.
  let path: String
  /// The names of the inputs, whose numbers are in the names of the files.
  let inputs: [String]
  /// The number of runs.
  private(set) var count = 0

  /// Writes the inputs of items, spread over all data.
  ///
  /// - Parameters:
  ///   - data: The data.
  ///   - model: The model.
  ///   - limit: The maximum number of runs.
  ///   - path: The path of the folder, which does not exist.
  /// - Throws: A `ModelError` if no item can be read, or the files cannot be written.
  init(
    _ data: EvaluationData, _ model: Model, limit: Int, at path: String
  ) throws(ModelError) {
    self.path = path
    inputs = model.signature?.inputs.map(\.name) ?? []
    let total = data.items.count
    try AtomicDirectoryWriter.mapFileErrors(at: path) { () throws(FileError) in
      try FileSystem.createDirectory(path)
    }
    var failure: ModelError?
    // Items of one class are often next to each other.
    let step = max(1, total / max(1, limit))
    for index in stride(from: 0, to: total, by: step) where count < limit {
      do throws(ModelError) {
        let input = try data.input(at: index, for: Set(model.inputs.map(\.name)))
        for run in try model.encodedInputs(of: input, limit: limit - count) { try write(run) }
      } catch {
        failure = failure ?? error
      }
    }
    guard count > 0 else {
      throw failure
        ?? ModelError(.input, .unmetRequirement("quantizing requires items"), file: data.path)
    }
  }

  private func write(_ run: [Model.EncodedInput]) throws(ModelError) {
    let digits = "\(1_000_000 + count)".dropFirst()
    for (number, input) in run.enumerated() {
      let file = "\(path)/\(digits).\(number).npy"
      try AtomicDirectoryWriter.mapFileErrors(at: file) { () throws(FileError) in
        try AtomicFile.write(NumPyArray.file(input), to: file, isDurable: false)
      }
    }
    count += 1
  }
}

extension NumPyArray {
  /// Returns the contents of a file with a tensor.
  fileprivate static func file(_ input: Model.EncodedInput) -> [UInt8] {
    let type =
      switch input.type {
      case .float32: "<f4"
      case .float16: "<f2"
      case .float64: "<f8"
      case .uint8: "|u1"
      case .int8: "|i1"
      case .int16: "<i2"
      case .int32: "<i4"
      case .int64: "<i8"
      case .bool: "|b1"
      case .string: "|S1"
      }
    let shape = input.shape.map { "\($0)," }.joined()
    var header = "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(shape)), }"
    // The numbers begin at a multiple of 64 bytes, and the header ends with a line feed.
    let length = (header.utf8.count + 11 + 63) / 64 * 64 - 10
    header += String(repeating: " ", count: length - header.utf8.count - 1) + "\n"
    let prefix: [UInt8] = [0x93] + Array("NUMPY".utf8) + [1, 0]
    return prefix + [UInt8(length & 0xFF), UInt8(length >> 8)] + Array(header.utf8) + input.bytes
  }
}
