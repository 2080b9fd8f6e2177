package import TensorIOBundle
import TensorIOJSON

extension Numbers {
  /// The shape and range of the numbers, for display.
  ///
  ///     1 × 9 × 9 × 17 numbers from -12.25 to 4.5
  package var summary: String {
    let dimensions = shape.isEmpty ? [count] : shape
    return dimensions.map(String.init).joined(separator: " × ") + " numbers" + rangeText
  }

  private var rangeText: String {
    let finite = (0..<count).filter { self[$0].isFinite }
    guard let minimum = finite.min(by: { self[$0] < self[$1] }),
      let maximum = finite.max(by: { self[$0] < self[$1] })
    else { return count > 0 ? ", none of them finite" : "" }
    let missing = count - finite.count
    let (texts, note) = (elementTexts, missing > 0 ? ", \(missing) of them not finite" : "")
    return " from \(texts[minimum]) to \(texts[maximum])\(note)"
  }
}

extension Numbers {
  /// The shortest text of each number; empty for non-finite numbers.
  package var finiteElementTexts: [String] {
    switch elements {
    case .floats(let values): values.map { $0.isFinite ? "\($0)" : "" }
    case .doubles(let values): values.map { $0.isFinite ? "\($0)" : "" }
    case .integers, .booleans: elementTexts
    }
  }

  /// The shortest text of each number.
  package var elementTexts: [String] {
    switch elements {
    case .floats(let values): values.map { "\($0)" }
    case .doubles(let values): values.map { "\($0)" }
    case .integers(let values): values.map { "\($0)" }
    case .booleans(let values): values.map { "\($0)" }
    }
  }
}

/// Numbers in row-major order, with their shape.
///
/// Integers are not converted to floating point: all digits of an `int64` tensor are preserved.
/// Numbers are a view of a ``Tensor``, whose elements may be narrower.
public struct Numbers: Sendable {
  /// The elements, in one of four types.
  public enum Elements: Sendable, Hashable {
    case floats([Float])
    case doubles([Double])
    case integers([Int64])
    case booleans([Bool])
  }

  /// The numbers in the type of their tensor.
  let storage: TensorStorage
  /// The dimensions; empty for a single number.
  public let shape: [Int]

  /// Creates numbers with a shape.
  ///
  /// - Precondition: The product of the dimensions equals the number of elements.
  public init(_ elements: Elements, shape: [Int]) {
    precondition(
      shape.reduce(1, *) == elements.count,
      "the shape \(shape) does not match \(elements.count) elements")
    storage = elements.storage
    self.shape = shape
  }

  /// Creates a one-dimensional array of numbers.
  public init(_ elements: Elements) {
    storage = elements.storage
    shape = [elements.count]
  }

  /// Creates a view of a tensor, without copying it; `nil` for strings.
  ///
  /// - Parameter tensor: A tensor of numbers or Boolean values.
  public init?(_ tensor: Tensor) {
    guard tensor.elementType != .string else { return nil }
    self.init(tensor.storage, shape: tensor.shape)
  }

  /// Creates numbers from elements that are not strings and whose count matches the shape.
  init(_ storage: TensorStorage, shape: [Int]) {
    self.storage = storage
    self.shape = shape
  }

  /// The tensor whose elements the numbers are; it is not a copy.
  public var tensor: Tensor { Tensor(storage, shape: shape) }

  /// The numbers, in row-major order.
  ///
  /// - Complexity: O(1) for elements of the types `float32`, `float64`, `int64` and `bool`; otherwise
  ///   linear in the number of elements, which are converted each time.
  public var elements: Elements { storage.elements }

  /// The number of elements.
  public var count: Int { storage.count }

  /// The element at a row-major index, converted to `Double`.
  public subscript(index: Int) -> Double { storage[index] }
}

extension Numbers: Hashable {
  /// Returns whether the shapes are equal and the numbers are equal in the same type of
  /// ``elements``.
  public static func == (left: Numbers, right: Numbers) -> Bool {
    guard left.shape == right.shape else { return false }
    return left.storage.elementType == right.storage.elementType
      ? left.storage == right.storage : left.elements == right.elements
  }

  /// Hashes the shape and the numbers.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(elements)
    hasher.combine(shape)
  }
}

extension Numbers.Elements {
  /// The number of elements.
  public var count: Int {
    switch self {
    case .floats(let values): values.count
    case .doubles(let values): values.count
    case .integers(let values): values.count
    case .booleans(let values): values.count
    }
  }
}

extension Numbers {
  /// Returns the numbers of each item, if the first dimension counts items of a layer's shape.
  ///
  /// An array of the shape `[N, 8]` holds `N` items of a layer `[8]`, `[-1, 8]` or `[-1, -1]`.
  ///
  /// - Parameter layer: The layer that takes one item.
  /// - Returns: The items; `nil` if the array has another shape or is one item itself.
  package func items(of layer: Layer) -> [Numbers]? {
    var dimensions = layer.shape.dimensions
    if shape.count == dimensions.count, dimensions.first == .some(nil) || dimensions.first == 1 {
      dimensions.removeFirst()
    }
    let item = Array(shape.dropFirst())
    guard let count = shape.first, shape.count > 1 || layer.elementCount == 1, count > 1,
      item.count == dimensions.count || (item.isEmpty && layer.elementCount == 1),
      zip(item, dimensions).allSatisfy({ $1 == nil || $0 == $1 })
    else { return nil }
    let length = item.reduce(1, *)
    return (0..<count).map {
      Numbers(storage.slice($0 * length..<($0 + 1) * length), shape: item)
    }
  }

  /// All numbers as `Float`.
  public var floats: [Float] { storage.floats }

  /// All numbers as `Double`.
  public var doubles: [Double] {
    switch elements {
    case .floats(let values): values.map(Double.init)
    case .doubles(let values): values
    case .integers(let values): values.map(Double.init)
    case .booleans(let values): values.map { $0 ? 1 : 0 }
    }
  }

  /// All numbers as integers; `nil` if one of them is not an integer.
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

  /// The slices along the first dimension; empty for a single number.
  public var rows: [Numbers] {
    guard let rowCount = shape.first, rowCount > 0 else { return [] }
    let length = count / rowCount
    return (0..<rowCount).map { row in
      Numbers(
        storage.slice(row * length..<(row + 1) * length), shape: Array(shape.dropFirst()))
    }
  }
}

extension JSONWriter {
  /// Writes an array of numbers, or the number itself if there is only one.
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
