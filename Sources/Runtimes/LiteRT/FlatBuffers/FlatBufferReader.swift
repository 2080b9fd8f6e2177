/// A bounds-checked reader for flatbuffers with a budget of steps.
///
/// Several parts of a file may refer to the same bytes, so that a small file can describe a huge
/// tree. The budget limits the traversal in proportion to the file's size.
final class FlatBufferReader {
  /// The number of steps allowed for a file of any size.
  static let baseStepBudget = 1 << 16
  /// The number of additional steps allowed for each byte of the file.
  static let stepsPerByte = 4
  /// The maximum number of steps for any file; half a million tensors fit.
  static let maxSteps = 1 << 23
  /// The number of steps that reading a table consumes; an element of a vector consumes one.
  static let stepsPerTable = 16

  private let bytes: ModelBytes
  private var remainingSteps: Int
  /// The number of bytes that may still be copied, twice the size of the file.
  private var remainingBytes: Int

  init(_ bytes: ModelBytes) {
    self.bytes = bytes
    remainingSteps = Self.stepBudget(forByteCount: bytes.count)
    remainingBytes = 2 * bytes.count
  }

  /// Returns the number of steps allowed for a file of `count` bytes.
  static func stepBudget(forByteCount count: Int) -> Int {
    min(baseStepBudget + stepsPerByte * count, maxSteps)
  }

  func root(identifier: String) throws(ModelValidationError) -> FlatBufferTable {
    do throws(FlatBufferError) {
      return try FlatBufferTable(bytes, identifier: identifier)
    } catch {
      guard error == .wrongIdentifier else { throw outOfBoundsError }
      throw ModelValidationError(.format, "the file is not a TensorFlow Lite model")
    }
  }

  private var outOfBoundsError: ModelValidationError {
    ModelValidationError(.bounds, "an offset points outside the file")
  }

  private func consumeSteps(_ count: Int) throws(ModelValidationError) {
    try require(
      count <= remainingSteps, .traversalBudget,
      "the file's structure is too large for its size: too many references to the same bytes")
    remainingSteps -= count
  }

  /// Returns a table's bytes, with the positions of its fields.
  func inlineBytes(
    of table: FlatBufferTable
  ) throws(ModelValidationError) -> (bytes: [UInt8], offsets: [Int]) {
    try consumeSteps(Self.stepsPerTable)
    guard let contents = table.inlineBytes else { throw outOfBoundsError }
    return contents
  }

  /// Returns the bytes of a vector's elements.
  func contents(of vector: FlatBufferVector) throws(ModelValidationError) -> [UInt8] {
    let range = vector.byteRange
    try require(
      range.count <= remainingBytes, .traversalBudget,
      "the file's structure is too large for its size: too many references to the same bytes")
    remainingBytes -= range.count
    return bytes.copy(of: range)
  }
}

// MARK: - Fields

extension FlatBufferReader {
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ table: FlatBufferTable, _ field: Int, default defaultValue: Number
  ) throws(ModelValidationError) -> Number {
    do throws(FlatBufferError) {
      return try table.number(field, default: defaultValue)
    } catch {
      throw outOfBoundsError
    }
  }

  func table(_ table: FlatBufferTable, _ field: Int) throws(ModelValidationError)
    -> FlatBufferTable?
  {
    try consumeSteps(Self.stepsPerTable)
    do throws(FlatBufferError) {
      return try table.subtable(field)
    } catch {
      throw outOfBoundsError
    }
  }

  /// Returns the location of a vector, or `nil` if the field is missing.
  ///
  /// Pass `false` for `countsElements` if the elements are not read.
  func vector(
    _ table: FlatBufferTable, _ field: Int, elementSize: Int, countsElements: Bool = true
  ) throws(ModelValidationError) -> FlatBufferVector? {
    let vector: FlatBufferVector?
    do throws(FlatBufferError) {
      vector = try table.vector(field, elementSize: elementSize)
    } catch {
      throw outOfBoundsError
    }
    if countsElements { try consumeSteps(1 + (vector?.count ?? 0)) }
    return vector
  }

  func numbers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ table: FlatBufferTable, _ field: Int
  ) throws(ModelValidationError) -> [Number] {
    let vector = try vector(table, field, elementSize: MemoryLayout<Number>.size)
    return vector?.elementOffsets.compactMap { bytes.integer(at: $0) } ?? []
  }

  func integers(_ table: FlatBufferTable, _ field: Int) throws(ModelValidationError) -> [Int] {
    try numbers(table, field).map { (number: Int32) in Int(number) }
  }

  /// Returns the numbers of a vector and the offset of their count, or `nil` if there are none.
  func nonemptyIntegers(
    _ table: FlatBufferTable, _ field: Int
  ) throws(ModelValidationError) -> (countOffset: Int, [Int])? {
    guard let vector = try vector(table, field, elementSize: 4, countsElements: false),
      vector.count > 0
    else { return nil }
    return (vector.start - 4, try integers(table, field))
  }

  func tables<Value>(
    _ table: FlatBufferTable, _ field: Int,
    _ read: (FlatBufferTable) throws(ModelValidationError) -> Value
  ) throws(ModelValidationError) -> [Value] {
    guard let vector = try vector(table, field, elementSize: 4) else { return [] }
    try consumeSteps(Self.stepsPerTable * vector.count)
    var values: [Value] = []
    values.reserveCapacity(vector.count)
    for offset in vector.elementOffsets {
      values.append(try read(try element(at: offset)))
    }
    return values
  }

  private func element(at offset: Int) throws(ModelValidationError) -> FlatBufferTable {
    do throws(FlatBufferError) {
      return try FlatBufferTable(bytes, at: offset)
    } catch {
      throw outOfBoundsError
    }
  }

  /// Returns whether a field holds a nonempty string without NUL characters.
  func hasString(_ table: FlatBufferTable, _ field: Int) throws(ModelValidationError) -> Bool {
    guard let vector = try vector(table, field, elementSize: 1) else { return false }
    return vector.count > 0 && !bytes.copy(of: vector.byteRange).contains(0)
  }

  /// Returns the range of bytes stored outside the flatbuffer, or `nil` if the offset is 0.
  func externalRange(
    _ table: FlatBufferTable, offset: Int, size: Int
  ) throws(ModelValidationError) -> Range<UInt64>? {
    let start = try number(table, offset, default: UInt64(0))
    guard start > 0 else { return nil }
    let (end, overflow) = start.addingReportingOverflow(try number(table, size, default: 0))
    try require(!overflow, .dataBounds, "a data range is outside the file")
    return start..<end
  }
}
