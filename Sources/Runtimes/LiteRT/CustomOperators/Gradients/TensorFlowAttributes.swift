import TensorIOBundle
import TensorIOCore

/// The attributes of an operator that the converter has left to TensorFlow.
///
/// The options of such a node are a FlexBuffer of two elements: the name of the operator, and a `NodeDef`
/// message in protobuf's wire format.
struct TensorFlowAttributes {
  private var values: [String: ProtobufMessage] = [:]

  /// Reads the options of a node, which are untrusted.
  ///
  /// - Throws: `ModelError` if they are not those of a TensorFlow operator.
  init(_ node: CustomOperatorNode) throws(ModelError) {
    guard let definition = try node.flexOptions()[1]?.blob else { throw Self.malformed }
    do throws(ProtobufError) {
      var values: [String: ProtobufMessage] = [:]
      try ProtobufMessage(definition).forEachField { (field, value) throws(ProtobufError) in
        guard field == 5 else { return }
        let (name, attribute) = try value.message().mapEntry()
        values[name] = attribute
      }
      self.values = values
    } catch {
      throw Self.malformed
    }
  }

  private static let malformed = ModelError(
    .runtime, .modelRejected(detail: "the options are not those of a TensorFlow operator"))

  /// Returns a number, or a default value if the attribute is missing.
  func float(_ name: String, default defaultValue: Float) throws(ModelError) -> Float {
    var result = defaultValue
    try forEachField(of: name) { (field, value) throws(ProtobufError) in
      if field == 4, case .fixedWidth(let bytes) = value {
        result = bytes.floats(limit: 1).first ?? defaultValue
      }
    }
    return result
  }

  /// Returns a Boolean, or a default value if the attribute is missing.
  func bool(_ name: String, default defaultValue: Bool) throws(ModelError) -> Bool {
    var result = defaultValue
    try forEachField(of: name) { (field, value) throws(ProtobufError) in
      if field == 5 { result = try value.integer() != 0 }
    }
    return result
  }

  /// Returns a text; empty if the attribute is missing.
  func string(_ name: String) throws(ModelError) -> String {
    var result = ""
    try forEachField(of: name) { (field, value) throws(ProtobufError) in
      if field == 2 { result = try value.string() }
    }
    return result
  }

  /// Returns a list of integers; empty if the attribute is missing.
  func integers(_ name: String) throws(ModelError) -> [Int] {
    var result: [Int] = []
    try forEachField(of: name) { (field, value) throws(ProtobufError) in
      guard field == 1 else { return }
      try value.message().forEachField { (field, value) throws(ProtobufError) in
        if field == 3 { result += try value.integers() }
      }
    }
    return result
  }

  /// Throws an error unless the last dimension of images is the channel.
  func requireChannelsLast() throws(ModelError) {
    let format = try string("data_format")
    guard format.isEmpty || format == "NHWC" else {
      throw ModelError(.runtime, .unsupported("images in the format '\(format)'"))
    }
  }

  private func forEachField(
    of name: String, _ body: (UInt64, ProtobufValue) throws(ProtobufError) -> Void
  ) throws(ModelError) {
    do throws(ProtobufError) {
      try values[name]?.forEachField(body)
    } catch {
      throw ModelError(
        .runtime, .modelRejected(detail: "the attribute '\(name)' is invalid: \(error.rawValue)"))
    }
  }
}
