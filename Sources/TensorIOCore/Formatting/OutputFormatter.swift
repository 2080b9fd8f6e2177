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
  public static let standard = {
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
