/// A walk through a flatbuffer that ends at the first thing that lies nowhere, and after a number
/// of steps that no honest file asks for.
///
/// Parts of a file may be the same bytes, so that a small file can describe a huge tree.
final class FlatBufferReader {
  /// The steps that a file may ask for beyond those for its bytes.
  static let baseStepBudget = 1 << 16
  /// The steps that a file may ask for, for each of its bytes.
  static let stepsPerByte = 4
  /// The steps that no file may ask for: half a million tensors.
  static let maxSteps = 1 << 23
  /// The steps that a table takes; an element of a list takes one.
  static let stepsPerTable = 16

  private let bytes: ModelBytes
  private var remainingSteps: Int

  init(_ bytes: ModelBytes) {
    self.bytes = bytes
    remainingSteps = Self.remainingSteps(forBytes: bytes.count)
  }

  /// The steps that a file of a length may ask for.
  static func remainingSteps(forBytes count: Int) -> Int {
    min(baseStepBudget + stepsPerByte * count, maxSteps)
  }

  func root(identifier: String) throws(ModelValidationError) -> FlatBufferTable {
    do throws(FlatBufferError) {
      return try FlatBufferTable(bytes, identifier: identifier)
    } catch {
      guard error == .wrongIdentifier else { throw outOfBoundsError }
      throw ModelValidationError(.format, "it is no TensorFlow Lite model")
    }
  }

  private var outOfBoundsError: ModelValidationError {
    ModelValidationError(.bounds, "its parts do not lie where it says")
  }

  private func consumeSteps(_ count: Int) throws(ModelValidationError) {
    try require(count <= remainingSteps, .traversalBudget, "it uses the same bytes again and again")
    remainingSteps -= count
  }
}

// MARK: - Fields

extension FlatBufferReader {
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ table: FlatBufferTable, _ field: Int, default standard: Number
  ) throws(ModelValidationError) -> Number {
    do throws(FlatBufferError) {
      return try table.number(field, default: standard)
    } catch {
      throw outOfBoundsError
    }
  }

  func table(_ table: FlatBufferTable, _ field: Int) throws(ModelValidationError) -> FlatBufferTable? {
    try consumeSteps(Self.stepsPerTable)
    do throws(FlatBufferError) {
      return try table.subtable(field)
    } catch {
      throw outOfBoundsError
    }
  }

  /// Where a list is; its elements are steps unless nobody looks at them.
  func vector(
    _ table: FlatBufferTable, _ field: Int, elementSize: Int, countsElements: Bool = true
  ) throws(ModelValidationError) -> FlatBufferVector? {
    let list: FlatBufferVector?
    do throws(FlatBufferError) {
      list = try table.vector(field, elementSize: elementSize)
    } catch {
      throw outOfBoundsError
    }
    if countsElements { try consumeSteps(1 + (list?.count ?? 0)) }
    return list
  }

  func numbers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ table: FlatBufferTable, _ field: Int
  ) throws(ModelValidationError) -> [Number] {
    let list = try vector(table, field, elementSize: MemoryLayout<Number>.size)
    return list?.elementOffsets.compactMap { bytes.integer(at: $0) } ?? []
  }

  func integers(_ table: FlatBufferTable, _ field: Int) throws(ModelValidationError) -> [Int] {
    try numbers(table, field).map { (number: Int32) in Int(number) }
  }

  func tables<Value>(
    _ table: FlatBufferTable, _ field: Int, _ read: (FlatBufferTable) throws(ModelValidationError) -> Value
  ) throws(ModelValidationError) -> [Value] {
    guard let list = try vector(table, field, elementSize: 4) else { return [] }
    try consumeSteps(Self.stepsPerTable * list.count)
    var values: [Value] = []
    values.reserveCapacity(list.count)
    for place in list.elementOffsets {
      values.append(try read(try element(at: place)))
    }
    return values
  }

  private func element(at place: Int) throws(ModelValidationError) -> FlatBufferTable {
    do throws(FlatBufferError) {
      return try FlatBufferTable(bytes, at: place)
    } catch {
      throw outOfBoundsError
    }
  }

  /// Whether there is a text that C can read to its end.
  func hasString(_ table: FlatBufferTable, _ field: Int) throws(ModelValidationError) -> Bool {
    guard let list = try vector(table, field, elementSize: 1) else { return false }
    return list.count > 0 && !bytes.copy(of: list.byteRange).contains(0)
  }

  /// Where bytes lie that are outside all tables; an offset of zero means that there are none.
  func externalRange(
    _ table: FlatBufferTable, offset: Int, size: Int
  ) throws(ModelValidationError) -> Range<UInt64>? {
    let start = try number(table, offset, default: UInt64(0))
    guard start > 0 else { return nil }
    let (end, overflow) = start.addingReportingOverflow(try number(table, size, default: 0))
    try require(!overflow, .dataBounds, "bytes that it refers to lie outside the file")
    return start..<end
  }
}
