internal import TensorIOCore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What the data has to give one layer, and how files write it.
struct DataColumn: Sendable {
  let layer: Layer
  /// Whether a label's name may stand for its index.
  let isLabelled: Bool
  /// The labels that are known; none in a column that has none.
  let labels: [String]

  init(layer: Layer, isLabelled: Bool, labels: [String]) {
    self.layer = layer
    self.isLabelled = isLabelled
    self.labels = isLabelled ? labels : []
  }

  /// Whether it holds pictures.
  var isPicture: Bool { if case .image = layer.kind { true } else { false } }

  /// A label as the layer takes it: its index, or a one among as many zeros as there are others.
  func value(ofLabel index: Int, of count: Int) -> LayerValue {
    guard count > 1, layer.elementCount == count else { return index.layerValue }
    return (0..<count).map { Float($0 == index ? 1 : 0) }.layerValue
  }
}

// MARK: Cells of tables

extension DataColumn {
  /// What comes before bytes that are written out, as on the command line.
  private static let base64Prefix = "base64:"

  /// What a cell stands for: a picture's path, a label's name, a number or a list as JSON.
  func value(
    ofCell text: String, besides folder: String
  ) throws(DataFault) -> DataValue {
    if let index = labels.firstIndex(of: text) {
      return .value(value(ofLabel: index, of: labels.count))
    }
    let text = text.trimmed
    guard !text.isEmpty else { throw .missingValue }
    if text.hasPrefix("["), case .image = layer.kind { return .value(try document(text)) }
    switch layer.kind {
    case .image, .string: return try value(ofText: text, besides: folder)
    case .array, .scalar:
      if let integer = Int64(text) { return .value(integer.layerValue) }
      if let number = Double(text) { return .value(number.layerValue) }
      guard text.hasPrefix("[") else { throw unreadable(text) }
      return .value(try document(text))
    }
  }

  private func document(_ text: String) throws(DataFault) -> LayerValue {
    try value(of: JSONNode(data: Array(text.utf8)))
  }

  private func unreadable(_ text: String) -> DataFault {
    labels.isEmpty ? .notANumber(text) : .unknownLabel(text, among: labels)
  }
}

// MARK: Members of objects

extension DataColumn {
  /// What a member of an object stands for.
  func value(of node: JSONNode, besides folder: String) throws(DataFault) -> DataValue {
    if let text = node.string { return try value(ofText: text, besides: folder) }
    return .value(try value(of: node))
  }

  private func value(of node: JSONNode) throws(DataFault) -> LayerValue {
    do {
      return try reader.value(node, for: layer)
    } catch {
      throw DataFault(error)
    }
  }

  /// What a text stands for: a label's name, a picture's path, bytes; never a number.
  private func value(ofText text: String, besides folder: String) throws(DataFault) -> DataValue {
    if let index = labels.firstIndex(of: text) {
      return .value(value(ofLabel: index, of: labels.count))
    }
    if text.hasPrefix(Self.base64Prefix) {
      return .value(.bytes(try base64(text.dropFirst(Self.base64Prefix.count))))
    }
    switch layer.kind {
    case .image: return .picture(DataPath.resolve(text, in: folder))
    case .string: return .value(.bytes(Array(text.utf8)))
    case .array, .scalar: throw unreadable(text)
    }
  }

  private func base64(_ text: Substring) throws(DataFault) -> [UInt8] {
    guard let data = Data(base64Encoded: String(text)) else { throw .notBase64 }
    return [UInt8](data)
  }

  /// Reads numbers and lists; a text inside a list is a picture or a label nowhere.
  private var reader: JSONInputReader {
    JSONInputReader([layer]) { (text, _) throws(ModelError) in
      throw ModelError(.input, .wrongType(expected: "numbers", actual: "the text '\(text)'"))
    }
  }
}

extension JSONNode {
  /// The value of a text that is data.
  init(data text: [UInt8]) throws(DataFault) {
    do throws(JSONError) {
      let limits = JSONLimits(bytes: JSONLimits.maximumBytes)
      self = try JSONDocument(parsing: text, limits: limits, dialect: .byteOrderMark).root
    } catch {
      throw DataFault(error)
    }
  }
}

extension String {
  /// The text without the blanks around it.
  var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }
}
