import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Converts the cells or members of a file to values of one layer.
struct DataColumn: Sendable {
  let layer: Layer
  /// Whether a label's name is accepted in place of its index.
  let isLabel: Bool
  /// The known labels; empty if this is not the label column.
  let labels: [String]
  /// Whether the tensor of the layer holds strings.
  let holdsText: Bool
  /// Whether the headers of images are read when the file is opened.
  private let checksImages: Bool

  init(
    layer: Layer, isLabel: Bool, labels: [String], holdsText: Bool = false,
    checksImages: Bool = true
  ) {
    self.layer = layer
    self.isLabel = isLabel
    (self.holdsText, self.checksImages) = (holdsText, checksImages)
    self.labels = isLabel ? labels : []
  }

  /// Whether the layer is an image.
  var isImage: Bool { layer.isImage }

  /// Whether the values of the layer are files: images or sounds.
  var isFile: Bool { layer.isImage || layer.isAudio }

  /// Returns whether a file can be a value of the layer, based on its name only.
  func accepts(fileNamed name: String) -> Bool {
    layer.isImage && ImageFileName.isImage(name)
      || layer.isAudio && name.hasFileExtension(in: ["wav", "wave"])
  }

  /// Returns the diagnostic for a file, or `nil` if its header is valid; the contents of sounds are
  /// checked when they are used.
  func diagnostic(forFile path: String) -> DataDiagnostic? {
    checksImages && layer.isImage ? ImageHeaderCheck.diagnostic(for: path) : nil
  }

  /// Returns a label as an index, or one-hot encoded if the layer has one element per label.
  func value(ofLabel index: Int, labelCount count: Int) -> LayerValue {
    guard count > 1, layer.elementCount == count else { return index.layerValue }
    return (0..<count).map { Float($0 == index ? 1 : 0) }.layerValue
  }
}

// MARK: Cells of tables

extension DataColumn {
  /// The prefix of base64-encoded bytes.
  private static let base64Prefix = ModelBundle.base64Prefix

  /// Parses a cell: an image path, a label name, a number or a JSON array.
  func value(
    ofCell text: String, relativeTo folder: String
  ) throws(DataDiagnostic) -> DataValue {
    if let index = labels.firstIndex(of: text) {
      return .value(value(ofLabel: index, labelCount: labels.count))
    }
    let text = text.trimmed
    guard !text.isEmpty else { throw .missingValue }
    if text.hasPrefix("["), case .image = layer.kind { return .value(try document(text)) }
    if holdsText {
      guard layer.elementCount != 1, text.hasPrefix("[") else {
        return try value(ofText: text, relativeTo: folder)
      }
      return .value(try document(text))
    }
    switch layer.kind {
    case .image, .string, .text, .audio: return try value(ofText: text, relativeTo: folder)
    case .array, .scalar:
      if let integer = Int64(text) { return .value(integer.layerValue) }
      if let number = Double(text) { return .value(number.layerValue) }
      guard text.hasPrefix("[") else { throw invalidValue(text) }
      return .value(try document(text))
    }
  }

  private func document(_ text: String) throws(DataDiagnostic) -> LayerValue {
    try value(of: JSONNode(parsingData: Array(text.utf8)))
  }

  private func invalidValue(_ text: String) -> DataDiagnostic {
    labels.isEmpty ? .notANumber(text) : .unknownLabel(text, among: labels)
  }
}

// MARK: Members of objects

extension DataColumn {
  /// Parses a member of a JSON object.
  func value(of node: JSONNode, relativeTo folder: String) throws(DataDiagnostic) -> DataValue {
    if let text = node.string { return try value(ofText: text, relativeTo: folder) }
    return .value(try value(of: node))
  }

  private func value(of node: JSONNode) throws(DataDiagnostic) -> LayerValue {
    do {
      return try reader.value(node, for: layer)
    } catch {
      throw DataDiagnostic(error)
    }
  }

  /// Parses a string: a label name, an image path or bytes, but never a number.
  private func value(
    ofText text: String, relativeTo folder: String
  ) throws(DataDiagnostic) -> DataValue {
    if let index = labels.firstIndex(of: text) {
      return .value(value(ofLabel: index, labelCount: labels.count))
    }
    if text.hasPrefix(Self.base64Prefix) {
      return .value(.bytes(try base64(text.dropFirst(Self.base64Prefix.count))))
    }
    switch layer.kind {
    case .image, .audio: return .file(DataPath.resolve(text, in: folder))
    case .text: return .value(.strings([text]))
    case .string: return .value(.bytes(Array(text.utf8)))
    case .array where holdsText, .scalar where holdsText: return .value(.strings([text]))
    case .array, .scalar: throw invalidValue(text)
    }
  }

  private func base64(_ text: Substring) throws(DataDiagnostic) -> [UInt8] {
    guard let data = Data(base64Encoded: String(text)) else { throw .notBase64 }
    return [UInt8](data)
  }

  /// Reads numbers and arrays; strings inside an array are rejected, unless the tensor holds strings.
  private var reader: JSONInputReader {
    JSONInputReader([layer]) { (text, _) throws(ModelError) in
      if holdsText, case .value(let value)? = try? value(ofText: text, relativeTo: "") {
        return value
      }
      throw ModelError(.input, .wrongType(expected: "numbers", actual: "the string '\(text)'"))
    }
  }
}

extension JSONNode {
  /// Parses a text of a dataset.
  init(parsingData text: [UInt8]) throws(DataDiagnostic) {
    do throws(JSONError) {
      let limits = JSONLimits(bytes: JSONLimits.maxBytes)
      self = try JSONDocument(parsing: text, limits: limits, dialect: .byteOrderMark).root
    } catch {
      throw DataDiagnostic(error)
    }
  }
}

extension DataColumn {
  /// Returns the diagnostic for a value of the layer, or `nil` if the value is valid.
  func diagnostic(for value: DataValue) -> DataDiagnostic? {
    switch value {
    case .file(let path): diagnostic(forFile: path)
    case .value(let value) where holdsText: diagnostic(forTexts: value)
    case .value(.numbers(let numbers)): diagnostic(for: numbers)
    case .value(.list(let values)) where !isImage: diagnostic(forList: values)
    case .value: nil
    }
  }

  private func diagnostic(for numbers: Numbers) -> DataDiagnostic? {
    if let expected = layer.elementCount, numbers.count != expected {
      return .wrongCount(expected: expected, found: numbers.count)
    }
    let values = numbers.doubles
    if let value = values.first(where: { !$0.isFinite }) { return .notFinite(value) }
    if let diagnostic = labelDiagnostic(for: values) { return diagnostic }
    guard let (type, range) = integerRange else { return nil }
    return values.first { $0.rounded() != $0 || !range.contains($0) }
      .map { .outOfRange($0, type) }
  }

  private func diagnostic(forTexts value: LayerValue) -> DataDiagnostic? {
    guard let count = Self.textCount(in: value) else {
      return DataDiagnostic(
        code: "wrong-type", expected: "text", found: value.kindDescription,
        message: "the model takes text")
    }
    guard let expected = layer.elementCount, count != expected else { return nil }
    return .wrongCount(expected: expected, found: count)
  }

  /// Returns the number of strings in a value; `nil` if it has another kind of value.
  private static func textCount(in value: LayerValue) -> Int? {
    switch value {
    case .strings(let strings): return strings.count
    case .bytes: return 1
    case .list(let values):
      return values.reduce(Int?.some(0)) { sum, value in
        sum.flatMap { sum in textCount(in: value).map { sum + $0 } }
      }
    case .numbers, .tokens, .image, .audio, .classification: return nil
    }
  }

  /// Nested arrays remain only if their rows differ in length, which no numeric layer accepts.
  private func diagnostic(forList values: [LayerValue]) -> DataDiagnostic? {
    DataDiagnostic(
      code: "ragged-array", expected: "rows of equal length",
      found: "\(values.count) rows of different lengths", message: "rows differ in length")
  }

  private func labelDiagnostic(for values: [Double]) -> DataDiagnostic? {
    guard !labels.isEmpty, values.count == 1 else { return nil }
    guard values[0] == values[0].rounded(), (0..<Double(labels.count)).contains(values[0]) else {
      return .labelOutOfRange(values[0].shortestText, count: labels.count)
    }
    return nil
  }

  /// The integer type and range of the layer; `nil` for floating-point and quantized layers.
  private var integerRange: (ElementType, ClosedRange<Double>)? {
    switch layer.kind {
    case .array(let numeric), .scalar(let numeric):
      guard numeric.quantize == nil, let type = numeric.elementType else { return nil }
      return type.integerRange.map { (type, $0) }
    case .image, .string, .text, .audio: return nil
    }
  }
}

/// A value in memory, or a file that is read on demand.
enum DataValue: Sendable {
  case value(LayerValue)
  case file(String)

  /// Returns the value, reading its file if necessary.
  func load() throws(ModelError) -> LayerValue {
    switch self {
    case .value(let value): value
    case .file(let path):
      .bytes(try FileBytes.read(path, limit: ImageLimits.maxFileBytes, stage: .input))
    }
  }

  /// The label index that the value encodes, as a single number or one-hot.
  var labelIndex: Int? {
    guard case .value(.numbers(let numbers)) = self else { return nil }
    let values = numbers.doubles
    guard values.count > 1 else { return values.first.flatMap { Int(exactly: $0) } }
    let isOneHot = values.allSatisfy { $0 == 0 || $0 == 1 } && values.count { $0 == 1 } == 1
    return isOneHot ? values.firstIndex(of: 1) : nil
  }
}
