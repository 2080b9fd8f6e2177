public import TensorIOBundle
import TensorIOImage
import TensorIOSystem

/// Words a model's output for people.
///
/// A formatter is made for one stream of outputs, such as a video: it may remember what it has
/// shown.
public protocol OutputFormatter: Sendable {
  /// The output in words, which may take several lines.
  mutating func text(for output: ModelOutput) -> String
}

/// The formatters that bundles may ask for by name.
///
///     var formatter = OutputFormatters.standard.formatter(for: bundle.description)
///     print(formatter.text(for: try model.run(picture)))
///
/// The list is a value: copy it and add to it.
public struct OutputFormatters: Sendable {
  /// What makes a formatter.
  public typealias Factory = @Sendable () -> any OutputFormatter

  private var factories: [String: Factory]

  /// No formatters but the general one.
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

  /// The names that bundles may use, in order.
  public var names: [String] { factories.keys.sorted() }

  /// What makes the formatter of a name.
  public subscript(name: String) -> Factory? {
    get { factories[name] }
    set { factories[name] = newValue }
  }

  /// A new formatter for a model's outputs: that which `model.type` names, else that which
  /// `options.output_format` names, else the general one.
  public func formatter(for description: ModelDescription) -> any OutputFormatter {
    let names = [description.type, description.options.outputFormat].compactMap(\.self)
    let factory = names.lazy.compactMap { factories[$0] }.first
    return factory?() ?? GeneralFormatter()
  }
}

/// Words any output: a line for each layer, in the order of `model.json`.
///
/// Fractions have two decimals, integers are whole, bytes are hexadecimal, and a picture is
/// `<Image> (640×480)`. Of what is long, the beginning is shown.
public struct GeneralFormatter: OutputFormatter, Hashable {
  /// How many numbers, bytes or texts of a layer are shown.
  static let maxElements = 16
  /// How many labels of a layer are shown.
  static let maxLabels = 5

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
      classification.top(maxLabels).map(\.line).joined(separator: ", ")
    case .list(let values): row(values.count, ", ") { text(for: values[$0]) }
    }
  }

  /// The beginning of a row, and how many there are where that is not all.
  private static func row(
    _ count: Int, _ separator: String, _ element: (Int) -> String
  ) -> String {
    let shown = (0..<min(count, maxElements)).map(element).joined(separator: separator)
    return count > maxElements ? "[\(shown)\(separator)… \(count) in all]" : "[\(shown)]"
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

/// Words labels and their scores: `(0.87) rocking chair`, a line each, highest first.
///
/// It reads the output that is called `classification`, else the first one with labels. An output
/// without any is worded by a ``GeneralFormatter``.
public struct ClassificationFormatter: OutputFormatter, Hashable {
  /// How many labels are shown at most; `nil` shows all.
  public var maxCount: Int?
  /// The score that a label must exceed; `nil` shows all.
  public var threshold: Float?
  /// What steadies the scores from one output to the next.
  public var smoother: ClassificationSmoother?

  /// A formatter for one stream of outputs.
  public init(
    maxCount: Int? = nil, above threshold: Float? = nil, smoother: ClassificationSmoother? = nil
  ) {
    self.maxCount = maxCount
    self.threshold = threshold
    self.smoother = smoother
  }

  /// `image.classification.imagenet`: the five best above 0.1, smoothed.
  ///
  /// The threshold holds for what the model gives. The original applied it a second time to what
  /// was smoothed, so that labels which faded away vanished at once.
  public static let imageNet = ClassificationFormatter(
    maxCount: 5, above: 0.1, smoother: .netRunner)

  /// `image.classification.nodecay`: all labels, as the model gives them.
  public static let withoutDecay = ClassificationFormatter()

  /// The labels, a line each.
  public mutating func text(for output: ModelOutput) -> String {
    guard let classification = Self.classification(in: output) else {
      var general = GeneralFormatter()
      return general.text(for: output)
    }
    let entries = classification.top(maxCount ?? .max, above: threshold)
    let steady = smoother?.smooth(entries) ?? entries
    return steady.prefix(maxCount ?? .max).map(\.line).joined(separator: "\n")
  }

  private static func classification(in output: ModelOutput) -> Classification? {
    let values = output.layers.filter { $0.name == "classification" } + output.layers
    return values.lazy.compactMap(\.value.classification).first
  }
}

extension Classification.Entry {
  /// The entry in words.
  var line: String { "(\(score.formatted(decimals: 2))) \(label)" }
}

extension BinaryFloatingPoint {
  /// The number with a fixed count of decimals.
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
