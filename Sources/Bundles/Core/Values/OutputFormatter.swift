public import TensorIOBundle
import TensorIOImage
import TensorIOSystem

/// Formats a model's outputs as text for display.
///
/// A formatter is created for one stream of outputs, such as a video, and may keep state between
/// them.
public protocol OutputFormatter: Sendable {
  /// Returns the text for an output, which may have several lines.
  mutating func text(for output: ModelOutput) -> String
}

/// The formatters that bundles can select by name.
///
///     var formatter = OutputFormatters.builtIn.formatter(for: bundle.description)
///     print(formatter.text(for: try model.run(image)))
///
/// To add a formatter, copy the value and set it under a name.
public struct OutputFormatters: Sendable {
  /// A closure that creates a formatter.
  public typealias Factory = @Sendable () -> any OutputFormatter

  private var factories: [String: Factory]

  /// Creates a collection without named formatters.
  public init() {
    factories = [:]
  }

  /// The formatters of Net Runner.
  public static let builtIn = {
    var formatters = OutputFormatters()
    formatters["image.classification.imagenet"] = { ClassificationFormatter.imageNet }
    formatters["image.classification.nodecay"] = { ClassificationFormatter.withoutDecay }
    return formatters
  }()

  /// The names that bundles can use, sorted.
  public var names: [String] { factories.keys.sorted() }

  /// The factory of the formatter with a name.
  public subscript(name: String) -> Factory? {
    get { factories[name] }
    set { factories[name] = newValue }
  }

  /// Returns a new formatter for a model's outputs: the one named by `model.type`, otherwise the
  /// one named by `options.output_format`, otherwise a general one.
  public func formatter(for description: ModelDescription) -> any OutputFormatter {
    let names = [description.type, description.options.outputFormat].compactMap(\.self)
    let factory = names.lazy.compactMap { factories[$0] }.first
    return factory?() ?? GeneralFormatter()
  }
}

/// Formats any output, with one line per layer in the order of `model.json`.
///
/// Fractions have two decimals, bytes are hexadecimal, and an image is `<Image> (640×480)`. Long
/// values are shortened.
package struct GeneralFormatter: OutputFormatter, Hashable {
  /// The maximum number of numbers, bytes or strings per layer.
  static let maxElements = 16
  /// The maximum number of labels per layer.
  static let maxLabels = 5

  /// Creates a formatter.
  package init() {}

  /// Returns one line per layer.
  package mutating func text(for output: ModelOutput) -> String {
    output.layers.map { "\($0.name): \(Self.text(for: $0.value))" }.joined(separator: "\n")
  }

  private static func text(for value: LayerValue) -> String {
    switch value {
    case .numbers(let numbers):
      numbers.count == 1 ? number(numbers, 0) : row(numbers.count, ", ") { number(numbers, $0) }
    case .bytes(let bytes): row(bytes.count, " ") { bytes[$0].hexadecimal }
    case .strings(let strings):
      row(strings.count, ", ") { "\"\(strings[$0])\"" }
    case .tokens, .audio: "<\(value.kindDescription)>"
    case .image(let image): "<Image> (\(image.width)×\(image.height))"
    case .classification(let classification):
      classification.top(maxLabels).map(\.line).joined(separator: ", ")
    case .list(let values): row(values.count, ", ") { text(for: values[$0]) }
    }
  }

  /// Returns the first elements in brackets, with the total count if there are more.
  private static func row(
    _ count: Int, _ separator: String, _ element: (Int) -> String
  ) -> String {
    let shown = (0..<min(count, maxElements)).map(element).joined(separator: separator)
    return count > maxElements ? "[\(shown)\(separator)… \(count) in total]" : "[\(shown)]"
  }

  private static func number(_ numbers: Numbers, _ index: Int) -> String {
    switch numbers.elements {
    case .floats(let values): values[index].formatted(decimals: 2)
    case .doubles(let values): values[index].formatted(decimals: 2)
    case .integers(let values): "\(values[index])"
    case .booleans(let values): "\(values[index])"
    }
  }
}

/// Formats labels and their scores as `(0.87) rocking chair`, one per line, highest score first.
///
/// It uses the output named `classification`, otherwise the first one with labels. An output
/// without labels is formatted by a ``GeneralFormatter``.
package struct ClassificationFormatter: OutputFormatter, Hashable {
  /// The maximum number of labels; `nil` for all.
  package var maxCount: Int?
  /// A score that labels must exceed; `nil` for no threshold.
  package var threshold: Float?
  /// Smooths the scores of successive outputs; `nil` for no smoothing.
  package var smoother: ClassificationSmoother?

  /// Creates a formatter for one stream of outputs.
  package init(
    maxCount: Int? = nil, above threshold: Float? = nil, smoother: ClassificationSmoother? = nil
  ) {
    self.maxCount = maxCount
    self.threshold = threshold
    self.smoother = smoother
  }

  /// `image.classification.imagenet`: the five best labels above 0.1, smoothed.
  ///
  /// The threshold applies to the model's scores. TensorIO for iOS applies it to the smoothed
  /// scores as well, so that a fading label disappears immediately.
  package static let imageNet = ClassificationFormatter(
    maxCount: 5, above: 0.1, smoother: .netRunner)

  /// `image.classification.nodecay`: all labels, not smoothed.
  package static let withoutDecay = ClassificationFormatter()

  /// Returns one line per label.
  package mutating func text(for output: ModelOutput) -> String {
    guard let classification = Self.classification(in: output) else {
      var general = GeneralFormatter()
      return general.text(for: output)
    }
    let entries = classification.top(maxCount ?? .max, above: threshold)
    let smoothed = smoother?.smooth(entries) ?? entries
    return smoothed.prefix(maxCount ?? .max).map(\.line).joined(separator: "\n")
  }

  private static func classification(in output: ModelOutput) -> Classification? {
    let values = output.layers.filter { $0.name == "classification" } + output.layers
    return values.lazy.compactMap(\.value.classification).first
  }
}

extension Classification.Entry {
  /// The score and the label.
  var line: String { "(\(score.formatted(decimals: 2))) \(label)" }
}

extension BinaryFloatingPoint {
  /// Returns the number with a fixed number of decimals.
  package func formatted(decimals: Int) -> String {
    guard isFinite, abs(self) < 1e15 else { return "\(self)" }
    let factor = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    let scaled = (Double(self).magnitude * factor).rounded()
    let digits = String(UInt64(scaled))
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let sign = self < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + padded }
    return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
  }
}
