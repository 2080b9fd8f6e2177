import TensorIOTestSupport

@testable import TensorIOBundle
@testable import TensorIOJSON

/// An error in an otherwise valid description, with its expected location.
struct InjectedError {
  /// The element at the expected position.
  enum Anchor { case value, key, object }

  let pointer: String
  let code: String?
  let anchor: Anchor

  private init(_ path: [String], _ code: String?, _ anchor: Anchor = .value) {
    pointer = path.map { "/" + JSONPointer.escape($0) }.joined()
    self.code = code
    self.anchor = anchor
  }

  /// Returns the expected position in a text.
  func position(in text: SketchText) -> SketchText.Position? {
    switch anchor {
    case .value: text.values[pointer]
    case .key: text.keys[pointer]
    case .object:
      text.values[pointer.split(separator: "/").dropLast().map { "/\($0)" }.joined()]
    }
  }

  /// Injects a random error into a valid description.
  static func inject(
    in sketch: inout JSONSketch, _ random: inout SeededGenerator
  ) -> InjectedError {
    while true {
      let mutation = mutations[Int.random(in: mutations.indices, using: &random)]
      let paths = sketch.paths().filter { !isFree($0) }
      guard let path = paths.randomElement(using: &random) else { continue }
      if path.starts(with: ["model", "modes"]) {
        // The modes determine whose layers examples and links name.
        sketch.remove("examples")
        sketch.remove("state")
      }
      guard let error = mutation(&sketch, path, &random) else { continue }
      return error
    }
  }

  /// Whether any value or key is allowed at a path.
  private static func isFree(_ path: [String]) -> Bool {
    switch path.first {
    case "options": path.count > 1 && path[1] == "theme"
    case "task": path.count > 1 && path[1] != "type"
    case "functions": path.count > 3 && path[2] == "task" && path[3] != "type"
    case "examples": path.count > 2 && path[2] != "tolerance"
    default: false
    }
  }

  /// Makes the value at a path invalid, or returns `nil` if that is not possible.
  private typealias Mutation =
    @Sendable (inout JSONSketch, [String], inout SeededGenerator) -> InjectedError?

  private static let mutations: [Mutation] = [
    wrongType, wrongType, invalidJSON, missingKey, missingKey, unknownChoice, unknownChoice,
    invalidDimension,
    invalidDimension, duplicateKey, misplacedKey, emptyList, duplicateName, unknownName,
  ]
}

// MARK: Mutations

extension InjectedError {
  /// `null` is not allowed anywhere in a description.
  private static let wrongType: Mutation = { sketch, path, _ in
    sketch[path[...]] = .token("null")
    return InjectedError(path, nil)
  }

  private static let invalidJSON: Mutation = { sketch, path, _ in
    sketch[path[...]] = .token("none")
    return InjectedError(path, "unknown-literal")
  }

  private static let missingKey: Mutation = { sketch, path, _ in
    guard let key = path.last, isRequired(key, in: path.dropLast(), of: sketch) else { return nil }
    sketch[path.dropLast()]?.remove(key)
    return InjectedError(path, "missing-key", .object)
  }

  private static func isRequired(
    _ key: String, in path: ArraySlice<String>, of sketch: JSONSketch
  ) -> Bool {
    switch path.last {
    case nil:
      ["name", "details", "id", "version", "author", "license", "model", "inputs", "outputs"]
        .contains(key)
    case "model": ["file", "quantized"].contains(key)
    case "quantize", "dequantize":
      ["scale", "bias"].contains(key) && sketch[path + ["standard"]] == nil
    case "normalize", "denormalize":
      ["mean", "std"].contains(key) && sketch[path + ["standard"]] == nil
    case "train": key == "ops"
    case "task": key == "type"
    case "labels": key == "file"
    case .some where path.first == "examples": key == "input"
    default: ["name", "type", "shape", "format"].contains(key)
    }
  }

  private static let unknownChoice: Mutation = { sketch, path, _ in
    guard path.count > 1, let code = codes[path[path.count - 1]] ?? codes[path[path.count - 2]]
    else { return nil }
    // The list of modes is not a string, and the types of models and tasks are arbitrary.
    let isType = path.last == "type" && (path.count == 2 || path[path.count - 2] == "task")
    let isChoice = path.last != "modes" && !isType
    guard isChoice else { return nil }
    sketch[path[...]] = .string("somethingElse")
    let isSetting = path.last == "type" && ["tokenizer", "features"].contains(path[path.count - 2])
    return InjectedError(path, isSetting ? "unknown-setting" : code)
  }

  private static let codes = [
    "type": "unknown-layer-type", "dtype": "unknown-dtype", "format": "unknown-format",
    "layout": "unknown-layout", "fit": "unknown-fit", "filter": "unknown-filter",
    "role": "unknown-role", "standard": "unknown-standard", "modes": "unknown-mode",
    "backend": "unknown-backend", "pad": "invalid-color", "shape": "wrong-type",
  ]

  private static let invalidDimension: Mutation = { sketch, path, random in
    guard path.count > 1, path[path.count - 2] == "shape" else { return nil }
    let dimensions = [
      ("0", "zero-axis"), ("-2", "negative-axis"), ("1.5", "not-an-integer"),
      ("1e2", "not-an-integer"), ("\"4\"", "wrong-type"),
      ("99999999999999999999", "too-many-elements"),
    ]
    let (token, code) = dimensions[Int.random(in: dimensions.indices, using: &random)]
    sketch[path[...]] = .token(token)
    return InjectedError(path, code)
  }

  /// A key that the object already has.
  private static let duplicateKey: Mutation = { sketch, path, random in
    guard let key = path.last, case .object(let members) = sketch[path.dropLast()] else {
      return nil
    }
    let first = members.firstIndex { $0.key == key } ?? 0
    let index = Int.random(in: first + 1...members.count, using: &random)
    sketch[path.dropLast()]?.insert(key, .token("1"), at: index)
    return InjectedError(path, "duplicate-key", .key)
  }

  /// A key that belongs to another group of layers.
  private static let misplacedKey: Mutation = { sketch, path, random in
    guard path.count == 2, case .object(let members) = sketch[path[...]],
      let key = ["inputs": "dequantize", "outputs": "fit", "placeholders": "role"][path[0]]
    else { return nil }
    let index = Int.random(in: 0...members.count, using: &random)
    sketch[path[...]]?.insert(key, .token("1"), at: index)
    return InjectedError(path + [key], "misplaced-key", .key)
  }

  private static let emptyList: Mutation = { sketch, path, _ in
    guard path == ["inputs"] || path == ["outputs"] else { return nil }
    sketch[path[...]] = .array([])
    return InjectedError(path, "empty-layers")
  }

  private static let duplicateName: Mutation = { sketch, path, _ in
    guard path.count == 3, path[1] == "1", path[2] == "name",
      // The names of a misspelled list are not compared.
      path[0] != ModelDescription.misspelledPlaceholders,
      let first = sketch[[path[0], "0", "name"]]
    else { return nil }
    // Examples and links may use the replaced name.
    sketch.remove("examples")
    sketch.remove("state")
    sketch[path[...]] = first
    return InjectedError(path, "duplicate-name")
  }

  /// An example with an unknown output.
  private static let unknownName: Mutation = { sketch, path, _ in
    guard path.first == "examples", path.count == 2 else { return nil }
    let output = path + ["output"]
    sketch[output[...]] = .object([("unknown", .token("1"))])
    return InjectedError(output + ["unknown"], "unknown-output", .key)
  }
}
