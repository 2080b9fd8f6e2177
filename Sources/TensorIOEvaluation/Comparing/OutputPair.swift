public import TensorIOCore

/// An output of one model beside the output of another that it is compared with.
public struct OutputPair: Sendable, Hashable {
  /// The output of the first model.
  public let a: Layer
  /// The output of the second.
  public let b: Layer

  /// What the first model calls it.
  public var name: String { a.name }

  /// The outputs of two models, by name where all names are the same, else by order.
  ///
  /// Outputs of other counts or shapes cannot be compared; the error tells those of both.
  static func pairs(_ a: [Layer], _ b: [Layer]) throws(ModelError) -> [OutputPair] {
    let names = Set(a.map(\.name))
    let isNamed = names == Set(b.map(\.name)) && names.count == a.count
    let pairs = zip(a, b).map { first, second in
      OutputPair(a: first, b: isNamed ? b.first { $0.name == first.name } ?? second : second)
    }
    guard a.count == b.count, pairs.allSatisfy(\.fits) else {
      throw ModelError(
        .bundle, .layersDiffer(what: "outputs", first: a.map(\.told), second: b.map(\.told)))
    }
    return pairs
  }

  /// Whether both hold the same kind of thing, and as much of it, as far as that is known.
  private var fits: Bool {
    switch (a.kind, b.kind) {
    case (.image(let a), .image(let b)): a.width == b.width && a.height == b.height
    case (.array, .array), (.scalar, .scalar), (.array, .scalar), (.scalar, .array): fitsInLength
    case (.string, .string): true
    default: false
    }
  }

  private var fitsInLength: Bool {
    let hasOpenAxes = [a, b].contains { $0.shape.axes.dropFirst().contains(nil) }
    return hasOpenAxes || a.elementCount == b.elementCount
  }
}

extension Layer {
  /// The layer in a few words.
  fileprivate var told: String { "'\(name)' (\(typeName) \(shape))" }
}
