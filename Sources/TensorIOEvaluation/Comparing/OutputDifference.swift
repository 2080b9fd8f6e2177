internal import TensorIOCore
internal import TensorIOImage

/// How far what two models gave for one output lies apart.
///
/// Labels, numbers and the pixels of pictures, from 0 to 255, have differences. Texts and bytes are
/// equal, or infinitely far from each other.
public struct OutputDifference: Sendable, Hashable {
  /// The largest difference of two elements.
  public let largest: Double
  /// The mean of the differences of all elements.
  public let mean: Double
  /// Whether both answers are the same: the label with the highest score, or else all elements.
  public let agrees: Bool
  /// Whether it was for labels to agree.
  public let isLabelled: Bool

  /// What lies between two values; elements agree up to a tolerance.
  init(_ a: LayerValue, _ b: LayerValue, tolerance: Double) throws(ModelError) {
    let differences = try Self.differences(a, b)
    largest = differences.max() ?? 0
    mean = differences.isEmpty ? 0 : differences.reduce(0, +) / Double(differences.count)
    if case .classification(let a) = a, case .classification(let b) = b, a.count > 1 {
      guard a.labels == b.labels else {
        throw ModelError(
          .output, .layersDiffer(what: "labels", first: a.labels, second: b.labels))
      }
      (agrees, isLabelled) = (a.bestIndex == b.bestIndex, true)
    } else {
      (agrees, isLabelled) = (largest <= tolerance, false)
    }
  }

  private static func differences(
    _ a: LayerValue, _ b: LayerValue
  ) throws(ModelError) -> [Double] {
    if let a = a.elements, let b = b.elements { return try differences(a, b) }
    return [a == b ? 0 : .infinity]
  }

  private static func differences(_ a: [Double], _ b: [Double]) throws(ModelError) -> [Double] {
    guard a.count == b.count else {
      throw ModelError(.output, .wrongCount(expected: a.count, actual: b.count))
    }
    return zip(a, b).map { a, b in
      // What is equal, or no number in both, does not differ, also where subtracting tells nothing.
      if a == b || (a.isNaN && b.isNaN) { return 0 }
      let difference = abs(a - b)
      return difference.isNaN ? .infinity : difference
    }
  }
}

extension LayerValue {
  /// What can be subtracted; `nil` of texts and bytes.
  fileprivate var elements: [Double]? {
    switch self {
    case .numbers(let numbers): numbers.doubles
    case .classification(let classification): classification.scores.map(Double.init)
    case .image(let image): image.converted(to: .rgb).pixels.map(Double.init)
    case .list(let values): values.elements
    case .bytes, .strings: nil
    }
  }
}

extension [LayerValue] {
  fileprivate var elements: [Double]? {
    let lists = compactMap(\.elements)
    return lists.count == count ? lists.flatMap(\.self) : nil
  }
}
