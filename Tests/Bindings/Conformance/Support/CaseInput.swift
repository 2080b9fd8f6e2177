import Foundation
import TensorIO
import TensorIOCore
import TensorIOTestSupport

/// The input of a case, for the library and for the command line.
struct CaseInput {
  let tree: JSONTree
  let inputCount: Int

  /// The input for the library.
  var modelInput: ModelInput {
    guard tree.rawBytes == nil, let members = tree.object else { return .value(tree.layerValue) }
    return .named(members.mapValues(\.layerValue))
  }

  /// All spellings of the input on a command line.
  var spellings: [[String]] {
    if tree.rawBytes == nil, let members = tree.object {
      let names = members.keys.sorted()
      let isPlain = members.values.allSatisfy { $0.argument.first != "{" }
      return [[tree.argument]]
        + (isPlain && inputCount == names.count ? [namedArguments(members)] : [])
    }
    guard inputCount > 1, let elements = tree.array else { return [[tree.argument]] }
    return [elements.map(\.argument), [tree.argument]]
  }

  private func namedArguments(_ members: [String: JSONTree]) -> [String] {
    members.sorted { $0.key > $1.key }.map { "\($0.key)=\($0.value.argument)" }
  }
}

extension JSONTree {
  /// The bytes of `{"float32": […]}` or `{"int32": […]}`, little-endian.
  fileprivate var rawBytes: [UInt8]? {
    let patterns =
      self["float32"]?.numbers.map { $0.map { Float($0).bitPattern } }
      ?? self["int32"]?.numbers.map { $0.map { UInt32(bitPattern: Int32($0)) } }
    return patterns?.flatMap { pattern in
      stride(from: 0, to: 32, by: 8).map { UInt8(truncatingIfNeeded: pattern >> $0) }
    }
  }

  /// The bytes of `"base64:…"`, which represents an image in a document.
  private var writtenBytes: Data? {
    guard let string, string.hasPrefix(Self.base64Prefix) else { return nil }
    return Data(base64Encoded: String(string.dropFirst(Self.base64Prefix.count)))
  }

  private static var base64Prefix: String { "base64:" }

  fileprivate var layerValue: LayerValue {
    if let rawBytes { return Data(rawBytes).layerValue }
    if let writtenBytes { return writtenBytes.layerValue }
    if let string { return string.layerValue }
    if let number { return number.layerValue }
    if let numbers { return numbers.layerValue }
    return LayerValue.layerValue(of: (array ?? []).map(\.layerValue))
  }

  /// The value as an argument of the command line.
  fileprivate var argument: String {
    rawBytes.map { Self.base64Prefix + Data($0).base64EncodedString() } ?? withBase64.text
  }

  /// The value with raw bytes as numbers.
  private var withBase64: JSONTree {
    if let rawBytes { return .string(Self.base64Prefix + Data(rawBytes).base64EncodedString()) }
    switch self {
    case .array(let values): return .array(values.map(\.withBase64))
    case .object(let members): return .object(members.mapValues(\.withBase64))
    case .null, .bool, .number, .string: return self
    }
  }
}
