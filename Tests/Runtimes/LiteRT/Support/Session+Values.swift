import TensorIOBundle
import TensorIOCore

extension Session {
  /// Writes an input, whose element count must match.
  func write<Element: BitwiseCopyable>(_ values: [Element], to input: Int = 0) throws {
    try fill(input) { (memory) throws(ModelError) in
      let count = memory.byteCount / MemoryLayout<Element>.stride
      guard values.count == count else {
        throw ModelError(.input, .wrongCount(expected: count, actual: values.count))
      }
      for (index, value) in values.enumerated() {
        memory.storeBytes(
          of: value, toByteOffset: index * MemoryLayout<Element>.stride, as: Element.self)
      }
    }
  }

  /// Returns the elements and the shape of an output.
  func contents<Element: BitwiseCopyable>(
    of output: Int = 0, as type: Element.Type = Element.self
  ) throws -> (values: [Element], shape: [Int]) {
    var result: (values: [Element], shape: [Int]) = ([], [])
    try read(output) { (memory, shape) throws(ModelError) in
      let count = memory.byteCount / MemoryLayout<Element>.stride
      result.values = (0..<count).map {
        unsafe memory.unsafeLoadUnaligned(
          fromByteOffset: $0 * MemoryLayout<Element>.stride, as: Element.self)
      }
      result.shape = shape
    }
    return result
  }

  /// Runs a model with one input and one output.
  func run<Element: BitwiseCopyable>(_ values: [Element]) throws -> [Element] {
    try write(values)
    try invoke()
    return try contents().values
  }

  /// Runs a model on inputs with a fixed pattern and returns the bytes of all outputs.
  func patternRun(_ signature: ModelSignature) throws -> [[UInt8]] {
    for input in signature.inputs.indices {
      try fill(input) { (memory) throws(ModelError) in
        for offset in 0..<memory.byteCount {
          memory.storeBytes(of: UInt8(offset * 7 % 50), toByteOffset: offset, as: UInt8.self)
        }
      }
    }
    try invoke()
    return try signature.outputs.indices.map { try contents(of: $0, as: UInt8.self).values }
  }
}
