/// A walk through a flatbuffer that ends at the first thing that lies nowhere, and after a number
/// of steps that no honest file asks for.
///
/// Parts of a file may be the same bytes, so that a small file can describe a huge tree.
final class FlatWalk {
  /// The steps that a file may ask for beyond those for its bytes.
  static let spareSteps = 1 << 16
  /// The steps that a file may ask for, for each of its bytes.
  static let stepsForByte = 4
  /// The steps that no file may ask for: half a million tensors.
  static let mostSteps = 1 << 23
  /// The steps that a table takes; an element of a list takes one.
  static let stepsForTable = 16

  private let bytes: ModelBytes
  private var steps: Int

  init(_ bytes: ModelBytes) {
    self.bytes = bytes
    steps = Self.steps(forBytes: bytes.count)
  }

  /// The steps that a file of a length may ask for.
  static func steps(forBytes count: Int) -> Int {
    min(spareSteps + stepsForByte * count, mostSteps)
  }

  func root(identifier: String) throws(ModelProblem) -> FlatTable {
    do throws(FlatFault) {
      return try FlatTable(bytes, identifier: identifier)
    } catch {
      guard error == .otherFormat else { throw outside }
      throw ModelProblem(.format, "it is no TensorFlow Lite model")
    }
  }

  private var outside: ModelProblem {
    ModelProblem(.structure, "its parts do not lie where it says")
  }

  private func spend(_ count: Int) throws(ModelProblem) {
    try require(count <= steps, .effort, "it uses the same bytes again and again")
    steps -= count
  }
}

// MARK: - Fields

extension FlatWalk {
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ table: FlatTable, _ field: Int, orElse standard: Number
  ) throws(ModelProblem) -> Number {
    do throws(FlatFault) {
      return try table.number(field, orElse: standard)
    } catch {
      throw outside
    }
  }

  func table(_ table: FlatTable, _ field: Int) throws(ModelProblem) -> FlatTable? {
    try spend(Self.stepsForTable)
    do throws(FlatFault) {
      return try table.subtable(field)
    } catch {
      throw outside
    }
  }

  /// Where a list is; its elements are steps unless nobody looks at them.
  func list(
    _ table: FlatTable, _ field: Int, elementSize: Int, costs: Bool = true
  ) throws(ModelProblem) -> FlatList? {
    let list: FlatList?
    do throws(FlatFault) {
      list = try table.list(field, elementSize: elementSize)
    } catch {
      throw outside
    }
    if costs { try spend(1 + (list?.count ?? 0)) }
    return list
  }

  func numbers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ table: FlatTable, _ field: Int
  ) throws(ModelProblem) -> [Number] {
    let list = try list(table, field, elementSize: MemoryLayout<Number>.size)
    return list?.places.compactMap { bytes.number(at: $0) } ?? []
  }

  func integers(_ table: FlatTable, _ field: Int) throws(ModelProblem) -> [Int] {
    try numbers(table, field).map { (number: Int32) in Int(number) }
  }

  func tables<Value>(
    _ table: FlatTable, _ field: Int, _ read: (FlatTable) throws(ModelProblem) -> Value
  ) throws(ModelProblem) -> [Value] {
    guard let list = try list(table, field, elementSize: 4) else { return [] }
    try spend(Self.stepsForTable * list.count)
    var values: [Value] = []
    values.reserveCapacity(list.count)
    for place in list.places {
      values.append(try read(try element(at: place)))
    }
    return values
  }

  private func element(at place: Int) throws(ModelProblem) -> FlatTable {
    do throws(FlatFault) {
      return try FlatTable(bytes, at: place)
    } catch {
      throw outside
    }
  }

  /// Whether there is a text that C can read to its end.
  func hasText(_ table: FlatTable, _ field: Int) throws(ModelProblem) -> Bool {
    guard let list = try list(table, field, elementSize: 1) else { return false }
    return list.count > 0 && !bytes.copy(of: list.bytes).contains(0)
  }

  /// Where bytes lie that are outside all tables; an offset of zero means that there are none.
  func distantBytes(
    _ table: FlatTable, offset: Int, size: Int
  ) throws(ModelProblem) -> Range<UInt64>? {
    let start = try number(table, offset, orElse: UInt64(0))
    guard start > 0 else { return nil }
    let (end, overflow) = start.addingReportingOverflow(try number(table, size, orElse: 0))
    try require(!overflow, .data, "bytes that it refers to lie outside the file")
    return start..<end
  }
}
