package import TensorIOJSON

extension ValueFormat<String> {
  /// Any string.
  package static let string = ValueFormat(
    FormatReference(expected: "a string", codes: .wrongType), schema: { _ in ["type": "string"] },
    read: { $1.string($0) }, write: { $1.value($0) })

  /// A string that is not empty.
  package static let nonemptyString = ValueFormat(
    FormatReference(expected: "a string", codes: .wrongType, .emptyString),
    schema: { _ in ["type": "string", "minLength": 1] },
    read: { $1.nonemptyString($0) }, write: { $1.value($0) })

  /// The relative path of a file inside the bundle.
  package static let fileName = ValueFormat(
    FormatReference(expected: "a file name", codes: .wrongType, .emptyString, .unsafePath),
    schema: { $0.reference("fileName") { _ in fileNameSchema } },
    read: { $1.fileName($0) }, write: { $1.value($0) })

  /// Any value, as JSON text.
  package static let json = ValueFormat(
    schema: { _ in [:] }, read: { node, _ in node.compactJSON }, write: { $1.rawJSON($0.utf8) })

  private static var fileNameSchema: JSONValue {
    [
      "type": "string",
      "pattern": "^(?!/)(?!(.*/)?\\.\\.(/|$))(?![./]*$)[^\\\\\\u0000-\\u001f\\u007f]+$",
      "maxLength": .integer(Int64(BundlePath.maxLength)),
      "description": "The relative path of a file inside the bundle.",
    ]
  }
}

extension ValueFormat where Value: LosslessStringConvertible & Sendable {
  /// A value as a string, for numbers that every JSON reader has to preserve exactly.
  package static var text: ValueFormat {
    ValueFormat<String>.string.converted(
      { text, node, reader in
        let value = Value(text)
        if value == nil { reader.reportWrongType(node, "a number in quotes") }
        return value
      }, back: { "\($0)" })
  }
}

extension ValueFormat<Bool> {
  /// `true` or `false`.
  package static let boolean = ValueFormat(
    FormatReference(expected: "true or false", example: "true", codes: .wrongType),
    schema: { _ in ["type": "boolean"] },
    read: { $1.boolean($0) }, write: { $1.value($0) })
}

extension ValueFormat<Int> {
  /// Any integer that fits in 64 bits.
  package static let integer = ValueFormat(
    FormatReference(expected: "an integer", codes: .wrongType),
    schema: { _ in ["type": "integer"] },
    read: { node, reader in
      if let value = node.int.flatMap({ Int(exactly: $0) }) { return value }
      reader.reportWrongType(node, "an integer")
      return nil
    }, write: { $1.value($0) })

  /// An integer of at least 0.
  package static let natural = integer(0...Int.max, expected: "an integer of at least 0")

  /// An integer in a range, whose upper bound limits the magnitude; `expected` is the range for
  /// messages, if its bounds do not describe it.
  package static func integer(_ range: ClosedRange<Int>, expected: String? = nil) -> ValueFormat {
    let expected = expected ?? "an integer from \(range.lowerBound) to \(range.upperBound)"
    return ValueFormat(
      FormatReference(
        expected: expected,
        codes: .wrongType, .notAnInteger, .numberOverflow, .settingOutOfRange),
      schema: { _ in
        [
          "type": "integer", "minimum": .integer(Int64(range.lowerBound)),
          "maximum": .integer(Int64(range.upperBound)),
        ]
      },
      read: { node, reader in
        guard let value = reader.integer(node, max: range.upperBound) else { return nil }
        guard value < range.lowerBound else { return value }
        reader.reportOutOfRange(node, expected)
        return nil
      },
      write: { $1.value($0) })
  }
}

extension ValueFormat<Float> {
  /// Any number that fits in a 32-bit float.
  package static let number = number(in: .unlimited)

  /// A number in a range.
  package static func number(in range: NumberRange) -> ValueFormat {
    ValueFormat(
      range.reference, schema: { _ in range.schema(limit: Double(Float.greatestFiniteMagnitude)) },
      read: { node, reader in
        reader.number(node).flatMap { reader.check($0, in: range, node) ? $0 : nil }
      },
      write: { $1.value($0) })
  }
}

extension ValueFormat<Double> {
  /// Any number: NaN is `null`, and infinities are the strings `"Infinity"` and `"-Infinity"`, for
  /// which JSON has no numbers.
  package static let anyNumber = ValueFormat(
    FormatReference(expected: "a number", codes: .wrongType),
    schema: { _ in ["anyOf": [["type": ["number", "null"]], ["enum": ["Infinity", "-Infinity"]]]] },
    read: { node, reader in
      if let number = node.double { return number }
      if node.kind == .null { return .nan }
      if let number = ["Infinity": Double.infinity, "-Infinity": -.infinity][node.string ?? ""] {
        return number
      }
      reader.reportWrongType(node, "a number")
      return nil
    },
    write: { number, writer in
      if number.isInfinite {
        writer.value(number > 0 ? "Infinity" : "-Infinity")
      } else {
        writer.value(number)
      }
    })

  /// A number in a range that fits in a 32-bit float but keeps its precision.
  package static func preciseNumber(in range: NumberRange = .unlimited) -> ValueFormat {
    ValueFormat(
      range.reference, schema: { _ in range.schema(limit: nil) },
      read: { node, reader in
        reader.number(node).flatMap { reader.check($0, in: range, node) ? node.double : nil }
      },
      write: { $1.value($0) })
  }
}

/// The numbers that a setting can have.
@nonexhaustive
public enum NumberRange: Sendable, Hashable {
  /// Any number.
  case unlimited
  /// 0 or more.
  case nonnegative
  /// More than 0.
  case positive
  /// From 0 to 1.
  case fraction

  fileprivate var expected: String {
    switch self {
    case .unlimited: "a number"
    case .nonnegative: "a number of at least 0"
    case .positive: "a number above 0"
    case .fraction: "a number from 0 to 1"
    }
  }

  fileprivate func contains(_ number: Float) -> Bool {
    switch self {
    case .unlimited: true
    case .nonnegative: number >= 0
    case .positive: number > 0
    case .fraction: (0...1).contains(number)
    }
  }

  fileprivate var reference: FormatReference {
    switch self {
    case .unlimited: FormatReference(expected: expected, codes: .wrongType, .numberOverflow)
    default:
      FormatReference(expected: expected, codes: .wrongType, .numberOverflow, .settingOutOfRange)
    }
  }

  fileprivate func schema(limit: Double?) -> JSONValue {
    let lowest: JSONValue.Member? =
      switch self {
      case .unlimited: limit.map { .init("minimum", .number(-$0)) }
      case .nonnegative, .fraction: .init("minimum", 0)
      case .positive: .init("exclusiveMinimum", 0)
      }
    let highest: JSONValue.Member? =
      switch self {
      case .fraction: .init("maximum", 1)
      default: limit.map { .init("maximum", .number($0)) }
      }
    let type: JSONValue = ["type": "number"]
    return type.adding([lowest, highest].compactMap(\.self))
  }
}

extension FormatReader {
  fileprivate mutating func check(_ number: Float, in range: NumberRange, _ node: JSONNode) -> Bool
  {
    if range.contains(number) { return true }
    reportOutOfRange(node, range.expected)
    return false
  }

  fileprivate mutating func reportOutOfRange(_ node: JSONNode, _ expected: String) {
    log.error(.settingOutOfRange, at: node, expected: expected, "the setting is out of range")
  }
}

extension ValueFormat where Value: Equatable & Sendable {
  /// One of several strings; case matters.
  package static func choice(
    _ choices: [(name: String, value: Value)], else code: DiagnosticCode
  ) -> ValueFormat {
    ValueFormat(
      FormatReference(enumeration(choices.map(\.name)), codes: .wrongType, code),
      schema: { _ in ["enum": .array(choices.map { .string($0.name) })] },
      read: { $1.choice($0, of: choices, else: code) },
      write: { value, writer in
        writer.value(choices.first { $0.value == value }?.name ?? "")
      })
  }
}

extension ValueFormat
where Value: RawRepresentable & CaseIterable & Equatable & Sendable, Value.RawValue == String {
  /// One of the cases of an enumeration, by its raw value.
  package static func choice(
    _ type: Value.Type = Value.self, else code: DiagnosticCode = .unknownSetting
  ) -> ValueFormat {
    ValueFormat(
      FormatReference(enumeration(type.allCases.map(\.rawValue)), codes: .wrongType, code),
      schema: { _ in ["enum": .array(type.allCases.map { .string($0.rawValue) })] },
      read: { node, reader in
        node.string.flatMap(type.init(rawValue:))
          ?? reader.choice(
            node, of: type.allCases.map { (name: $0.rawValue, value: $0) }, else: code)
      },
      write: { $1.value($0.rawValue) })
  }
}

extension ValueFormat {
  /// A list of values; `what` is a word for them in messages, and `constraints` are the members of the
  /// JSON Schema that limit the list.
  package static func list<Element>(
    of element: ValueFormat<Element>, _ what: String, constraints: [JSONValue.Member] = []
  ) -> ValueFormat where Value == [Element] {
    ValueFormat(
      element.reference.list(of: what),
      schema: {
        let array: JSONValue = ["type": "array"]
        return array.adding(constraints + [.init("items", element.schema(&$0))])
      },
      read: { node, reader in
        guard let elements = reader.elements(node, of: what) else { return nil }
        var values: [Element] = []
        for node in elements where !reader.log.isFull {
          if let value = element.read(node, &reader) { values.append(value) }
        }
        return values
      },
      write: { values, writer in
        writer.array { writer in
          for value in values { element.write(value, &writer) }
        }
      })
  }
}

extension ValueFormat {
  /// An object with a member for each element, in order.
  package static func members<Element>(
    _ expected: String = "an object",
    schema: @escaping @Sendable (inout SchemaDefinitions) -> JSONValue = { _ in ["type": "object"]
    },
    read: @escaping @Sendable (JSONMember, inout FormatReader) -> Element?,
    write: @escaping @Sendable (Element, inout JSONWriter) -> Void
  ) -> ValueFormat where Value == [Element] {
    ValueFormat(
      FormatReference(expected: expected, codes: .wrongType), schema: schema,
      read: { node, reader in
        guard let members = node.members else {
          reader.reportWrongType(node, expected)
          return nil
        }
        return members.compactMap { reader.log.isFull ? nil : read($0, &reader) }
      },
      write: { elements, writer in
        writer.object { writer in
          for element in elements { write(element, &writer) }
        }
      })
  }

  /// An object with values by name, sorted by name.
  package static func dictionary<Element>(
    of element: ValueFormat<Element>, _ expected: String = "an object"
  ) -> ValueFormat where Value == [String: Element] {
    ValueFormat<[(name: String, value: Element)]>.members(
      expected,
      schema: { ["type": "object", "additionalProperties": element.schema(&$0)] },
      read: { member, reader in element.read(member.value, &reader).map { (member.name, $0) } },
      write: { member, writer in
        writer.key(member.name)
        element.write(member.value, &writer)
      }
    )
    .converted(
      { members, _, _ in Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first } },
      back: { values in values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } })
  }
}

extension ValueFormat<[Double]> {
  /// Numbers, on one line.
  package static let numberRow = list(of: .anyNumber, "numbers").onOneLine
}

/// Returns the names of choices as Markdown.
private func enumeration(_ names: [String]) -> String {
  let names = names.map { "`\"\($0)\"`" }
  guard let last = names.last, names.count > 1 else { return names.joined() }
  return names.dropLast().joined(separator: ", ") + " or " + last
}
