import TensorIOJSON

extension Numbers {
  /// What many numbers are like: their shape, and from where to where they go.
  ///
  ///     1 × 9 × 9 × 17 numbers from -12.25 to 4.5
  package var summary: String {
    let sides = shape.isEmpty ? [count] : shape
    return sides.map(String.init).joined(separator: " × ") + " numbers" + rangeText
  }

  private var rangeText: String {
    let finite = (0..<count).filter { self[$0].isFinite }
    guard let least = finite.min(by: { self[$0] < self[$1] }),
      let most = finite.max(by: { self[$0] < self[$1] })
    else { return count > 0 ? ", none of them finite" : "" }
    let missing = count - finite.count
    let (texts, note) = (elementTexts, missing > 0 ? ", \(missing) of them not finite" : "")
    return " from \(texts[least]) to \(texts[most])\(note)"
  }
}

extension Numbers {
  /// The numbers as texts, as short as they can be; what is not finite is empty.
  package var finiteElementTexts: [String] {
    switch elements {
    case .floats(let values): values.map { $0.isFinite ? "\($0)" : "" }
    case .doubles(let values): values.map { $0.isFinite ? "\($0)" : "" }
    case .integers, .booleans: elementTexts
    }
  }

  /// The numbers as texts, as short as they can be.
  package var elementTexts: [String] {
    switch elements {
    case .floats(let values): values.map { "\($0)" }
    case .doubles(let values): values.map { "\($0)" }
    case .integers(let values): values.map { "\($0)" }
    case .booleans(let values): values.map { "\($0)" }
    }
  }
}

/// Numbers in row-major order, with the shape that they were written or computed in.
///
/// Integers stay integers: an `int64` tensor passes through without losing a digit.
public struct Numbers: Sendable, Hashable {
  /// The numbers, in the widest type of their kind.
  public enum Elements: Sendable, Hashable {
    case floats([Float])
    case doubles([Double])
    case integers([Int64])
    case booleans([Bool])
  }

  /// The numbers, in row-major order.
  public let elements: Elements
  /// The lengths of the axes; empty for a single number.
  public let shape: [Int]

  /// Numbers of a shape, whose product is the number of elements.
  public init(_ elements: Elements, shape: [Int]) {
    precondition(
      shape.reduce(1, *) == elements.count, "the shape \(shape) does not hold \(elements.count)")
    self.elements = elements
    self.shape = shape
  }

  /// Numbers in a row.
  public init(_ elements: Elements) {
    self.elements = elements
    shape = [elements.count]
  }

  /// How many numbers there are.
  public var count: Int { elements.count }

  /// The number at a place in row-major order, as a fraction.
  public subscript(index: Int) -> Double {
    switch elements {
    case .floats(let values): Double(values[index])
    case .doubles(let values): values[index]
    case .integers(let values): Double(values[index])
    case .booleans(let values): values[index] ? 1 : 0
    }
  }
}

extension Numbers.Elements {
  /// How many numbers there are.
  public var count: Int {
    switch self {
    case .floats(let values): values.count
    case .doubles(let values): values.count
    case .integers(let values): values.count
    case .booleans(let values): values.count
    }
  }

  /// The numbers of a range, as a row of their own.
  func slice(_ range: Range<Int>) -> Self {
    switch self {
    case .floats(let values): .floats(Array(values[range]))
    case .doubles(let values): .doubles(Array(values[range]))
    case .integers(let values): .integers(Array(values[range]))
    case .booleans(let values): .booleans(Array(values[range]))
    }
  }
}

extension Numbers {
  /// All numbers as `Float`.
  public var floats: [Float] {
    switch elements {
    case .floats(let values): values
    case .doubles(let values): values.map(Float.init)
    case .integers(let values): values.map(Float.init)
    case .booleans(let values): values.map { $0 ? 1 : 0 }
    }
  }

  /// All numbers as `Double`.
  public var doubles: [Double] {
    switch elements {
    case .floats(let values): values.map(Double.init)
    case .doubles(let values): values
    case .integers(let values): values.map(Double.init)
    case .booleans(let values): values.map { $0 ? 1 : 0 }
    }
  }

  /// All numbers as integers, or `nil` when one of them is none.
  public var integers: [Int64]? {
    switch elements {
    case .floats(let values): Self.exact(values)
    case .doubles(let values): Self.exact(values)
    case .integers(let values): values
    case .booleans(let values): values.map { $0 ? 1 : 0 }
    }
  }

  private static func exact<Value: BinaryFloatingPoint>(_ values: [Value]) -> [Int64]? {
    let integers = values.compactMap { Int64(exactly: $0) }
    return integers.count == values.count ? integers : nil
  }

  /// The parts along the first axis, each one axis shorter; none of a single number.
  public var rows: [Numbers] {
    guard let rowCount = shape.first, rowCount > 0 else { return [] }
    let length = count / rowCount
    return (0..<rowCount).map { row in
      Numbers(
        elements.slice(row * length..<(row + 1) * length), shape: Array(shape.dropFirst()))
    }
  }
}

extension JSONWriter {
  /// A list of numbers, or the number itself when there is one.
  package mutating func value(_ numbers: Numbers) {
    let isSingle = numbers.count == 1
    switch numbers.elements {
    case .floats(let values): isSingle ? value(values[0]) : self.numbers(values)
    case .doubles(let values): isSingle ? value(values[0]) : self.numbers(values)
    case .integers(let values): isSingle ? value(values[0]) : self.numbers(values)
    case .booleans(let values):
      if isSingle { return value(values[0]) }
      array { writer in values.forEach { writer.value($0) } }
    }
  }
}
