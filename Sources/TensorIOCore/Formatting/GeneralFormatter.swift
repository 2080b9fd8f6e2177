internal import TensorIOImage
internal import TensorIOSystem

/// Words any output: a line for each layer, in the order of `model.json`.
///
/// Fractions have two decimals, integers are whole, bytes are hexadecimal, and a picture is
/// `<Image> (640×480)`. Of what is long, the beginning is shown.
public struct GeneralFormatter: OutputFormatter, Hashable {
  /// How many numbers, bytes or texts of a layer are shown.
  static let longestRow = 16
  /// How many labels of a layer are shown.
  static let labelCount = 5

  /// A formatter of any output.
  public init() {}

  /// The layers, a line each.
  public mutating func text(for output: ModelOutput) -> String {
    output.layers.map { "\($0.name): \(Self.text(for: $0.value))" }.joined(separator: "\n")
  }

  private static func text(for value: LayerValue) -> String {
    switch value {
    case .numbers(let numbers):
      numbers.count == 1 ? number(numbers, 0) : row(numbers.count, ", ") { number(numbers, $0) }
    case .bytes(let bytes): row(bytes.count, " ") { bytes[$0].hexadecimal }
    case .strings(let strings):
      row(strings.count, ", ") { "\"\(String(decoding: strings[$0], as: UTF8.self))\"" }
    case .image(let image): "<Image> (\(image.width)×\(image.height))"
    case .classification(let classification):
      classification.top(labelCount).map(\.line).joined(separator: ", ")
    case .list(let values): row(values.count, ", ") { text(for: values[$0]) }
    }
  }

  /// The beginning of a row, and how many there are where that is not all.
  private static func row(
    _ count: Int, _ separator: String, _ element: (Int) -> String
  ) -> String {
    let shown = (0..<min(count, longestRow)).map(element).joined(separator: separator)
    return count > longestRow ? "[\(shown)\(separator)… \(count) in all]" : "[\(shown)]"
  }

  private static func number(_ numbers: Numbers, _ index: Int) -> String {
    switch numbers.elements {
    case .floats(let values): values[index].fixed(2)
    case .doubles(let values): values[index].fixed(2)
    case .integers(let values): "\(values[index])"
    case .booleans(let values): "\(values[index])"
    }
  }
}
