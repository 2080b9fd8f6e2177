/// The kinds of operators that a `.tflite` file uses: what to look at when a runtime refuses the
/// model without a word.
///
/// Nothing in the file is trusted; what cannot be read is left out.
struct ModelOperators {
  /// The names of operators that the format does not have itself.
  let custom: [String]
  /// The format's own operators with their versions.
  let builtin: [(name: String, version: Int)]

  /// Reads what a model uses; `nil` when the bytes are no model.
  init?(_ bytes: ModelBytes) {
    guard let model = try? FlatTable(bytes, identifier: "TFL3") else { return nil }
    let codes = model.tables(Field.operatorCodes)
    custom = codes.map { $0.text(Field.customName) }.filter { !$0.isEmpty }
    builtin = codes.filter { $0.text(Field.customName).isEmpty }.map { code in
      // Older files have room for small numbers only, newer ones write both.
      let number = max(Int(code.byte(Field.smallNumber)), Int(code.integer(Field.number) ?? 0))
      return (OperatorNames.name(of: number), Int(code.integer(Field.version) ?? 1))
    }
  }

  private enum Field {
    static let operatorCodes = 1
    static let (smallNumber, customName, version, number) = (0, 1, 2, 3)
  }
}

extension ModelOperators {
  /// What a runtime may lack of all that; `nil` when nothing stands out.
  var suspicion: String? {
    let flex = custom.filter { $0.hasPrefix(Self.flexPrefix) }
    guard flex.isEmpty else {
      let names = flex.map { "\($0.dropFirst(Self.flexPrefix.count))" }.joined(separator: ", ")
      return "it needs TensorFlow's own operators (\(names)): convert it without them, "
        + "or run it as a TensorFlow bundle"
    }
    guard custom.isEmpty else {
      return custom.map { "it uses the custom operator '\($0)'" }.joined(separator: ", ")
    }
    return newest.map { "of its operators, \($0.name) is of the highest version, \($0.version)" }
  }

  /// The operator that a runtime is the likeliest to be too old for.
  private var newest: (name: String, version: Int)? {
    builtin.filter { $0.version > 1 }.max { $0.version < $1.version }
  }

  /// What the names of TensorFlow's own operators begin with in a `.tflite` file.
  private static let flexPrefix = "Flex"
}
