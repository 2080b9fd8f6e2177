public import TensorIOBundle
import TensorIOCore

/// The inputs, outputs and labels of a bundle that typed code relies on.
///
/// A type that `tensorio swift` has made contains the interface of its bundle. A bundle that
/// no longer has it cannot be opened with this type, and the error says what changed.
///
/// ```swift
/// import TensorIO
///
/// let interface = try ModelInterface(ModelBundle(at: "mobilenet.tiobundle"))
/// for line in interface.lines { print(line) }
/// ```
///
/// What typed code does not depend on is not part of the interface: weights, the sizes of images, and
/// settings such as thresholds.
public struct ModelInterface: Sendable, Hashable {
  /// The elements of the interface as text, one per line.
  public let lines: [String]

  /// Creates an interface from its lines.
  ///
  /// - Parameter lines: The lines of another interface.
  public init(_ lines: [String]) {
    self.lines = lines
  }

  /// Creates the interface of a bundle.
  ///
  /// - Parameters:
  ///   - bundle: The bundle.
  ///   - mode: The mode of the model; `nil` for the bundle's default.
  /// - Throws: A ``ModelError`` if a labels file cannot be read.
  public init(_ bundle: ModelBundle, mode: ModelMode? = nil) throws(ModelError) {
    self.init(try InterfaceContent(bundle, mode: mode))
  }

  /// Creates an interface from its content.
  package init(_ content: InterfaceContent) {
    let layers = [("input", content.inputs), ("output", content.outputs)].flatMap { role, layers in
      layers.map { "\(role) \($0.name.quoted): \($0.type.text)" }
    }
    lines =
      layers
      + content.placeholders.map { "placeholder \($0.name.quoted): \($0.type.text)" }
      + content.functions.map { "function \($0.quoted): a model" }
      + (content.result.map { ["result: \($0.name)"] } ?? [])
      + content.labels.map { labels in
        "labels \(labels.name.quoted): "
          + labels.texts.map(\.quoted).joined(separator: ", ")
      }
  }

  /// Verifies that a bundle has this interface.
  ///
  /// Additional outputs and placeholders do not matter, and neither does the order of inputs, outputs
  /// and labels.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to verify.
  ///   - mode: The mode of the model; `nil` for the bundle's default.
  /// - Throws: ``ModelError/interfaceChanged`` with the differences.
  public func validate(_ bundle: ModelBundle, mode: ModelMode? = nil) throws(ModelError) {
    let changes = try ModelInterface(bundle, mode: mode).changes(since: self)
    guard changes.isEmpty else {
      throw ModelError(.bundle, .interfaceChanged(changes), file: bundle.path)
    }
  }

  /// Returns the changes since an earlier interface that typed code does not tolerate, as text.
  func changes(since earlier: ModelInterface) -> [String] {
    let (current, earlier) = (elements, earlier.elements)
    let changed = earlier.flatMap { element -> [String] in
      guard let other = current.first(where: { $0.key == element.key }) else {
        return ["\(element.title) is missing"]
      }
      guard other.value != element.value else { return [] }
      guard element.isLabels else {
        return ["\(element.title) is \(other.value) instead of \(element.value)"]
      }
      return Self.changes(ofLabels: other.value, since: element.value)
    }
    let added = current.filter { element in
      element.isInput && !earlier.contains { $0.key == element.key }
    }
    return changed + added.map { "\($0.title) is new" }
  }

  private static func changes(ofLabels labels: String, since earlier: String) -> [String] {
    let (labels, earlier) = (Self.labels(labels), Self.labels(earlier))
    return earlier.filter { !labels.contains($0) }.map { "label \($0) is missing" }
      + labels.filter { !earlier.contains($0) }.map { "label \($0) is new" }
  }

  /// Splits the text of labels between quoted labels.
  private static func labels(_ text: String) -> [String] {
    var labels: [String] = []
    var (label, isQuoted, isEscaped) = ("", false, false)
    for character in text.unicodeScalars where isQuoted || character == "\"" {
      label.unicodeScalars.append(character)
      if character == "\"", !isEscaped {
        if isQuoted { labels.append(label) }
        if isQuoted { label = "" }
        isQuoted.toggle()
      }
      isEscaped = character == "\\" && !isEscaped
    }
    return labels
  }

  /// A line, split into what it declares and how.
  private struct Element {
    let key: String
    let value: String

    var isLabels: Bool { key.hasPrefix("labels ") }
    var isInput: Bool { key.hasPrefix("input ") }
    var title: String { key == "result" ? "the result" : key }
  }

  private var elements: [Element] {
    lines.map { line in
      // The key ends with a quoted name, which may contain the separator.
      let end = line.keyEnd
      return Element(
        key: String(line[..<end]), value: String(line[end...].dropFirst(2)))
    }
  }
}

extension String {
  /// The text in quotation marks, on one line.
  fileprivate var quoted: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }

  /// The index of the colon after the key of a line.
  fileprivate var keyEnd: Index {
    var (isQuoted, isEscaped) = (false, false)
    for index in unicodeScalars.indices {
      let scalar = unicodeScalars[index]
      if scalar == ":", !isQuoted { return index }
      if scalar == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return endIndex
  }
}
