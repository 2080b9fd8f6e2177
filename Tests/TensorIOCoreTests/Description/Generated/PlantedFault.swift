import TensorIOTestSupport
@testable import TensorIOJSON

/// One fault in a good description, and where it has to be reported.
struct PlantedFault {
  /// What stands at the place that is told.
  enum Told { case value, key, object }

  let pointer: String
  let code: String?
  let told: Told

  private init(_ path: [String], _ code: String?, _ told: Told = .value) {
    pointer = path.map { "/" + JSONPointer.escape($0) }.joined()
    self.code = code
    self.told = told
  }

  /// Where a text has the fault.
  func place(in text: SketchText) -> SketchText.Place? {
    switch told {
    case .value: text.values[pointer]
    case .key: text.keys[pointer]
    case .object:
      text.values[pointer.split(separator: "/").dropLast().map { "/\($0)" }.joined()]
    }
  }

  /// Plants a fault into a good description.
  static func plant(
    in sketch: inout JSONSketch, _ random: inout SeededGenerator
  ) -> PlantedFault {
    while true {
      let way = ways[Int.random(in: ways.indices, using: &random)]
      let paths = sketch.paths().filter { !isFree($0) }
      guard let path = paths.randomElement(using: &random),
        let fault = way(&sketch, path, &random)
      else { continue }
      return fault
    }
  }

  /// Whether anything may stand at a path, or any key inside it.
  private static func isFree(_ path: [String]) -> Bool {
    switch path.first {
    case "options": path.count > 1 && path[1] == "theme"
    case "task": path.count > 1 && path[1] != "type"
    case "examples": path.count > 2 && path[2] != "tolerance"
    default: false
    }
  }

  /// A way to spoil the value at a path, if it can be spoilt so.
  private typealias Way =
    @Sendable (inout JSONSketch, [String], inout SeededGenerator) -> PlantedFault?

  private static let ways: [Way] = [
    wrongType, wrongType, noJSON, missingKey, missingKey, wrongWord, wrongWord, wrongLength,
    wrongLength, twice, misplaced, emptyList, sameName, strangeName,
  ]
}

// MARK: Ways

extension PlantedFault {
  /// Nothing in a description is ever null.
  private static let wrongType: Way = { sketch, path, _ in
    sketch[path[...]] = .word("null")
    return PlantedFault(path, nil)
  }

  private static let noJSON: Way = { sketch, path, _ in
    sketch[path[...]] = .word("none")
    return PlantedFault(path, "unknown-word")
  }

  private static let missingKey: Way = { sketch, path, _ in
    guard let key = path.last, isRequired(key, in: path.dropLast(), of: sketch) else { return nil }
    sketch[path.dropLast()]?.remove(key)
    return PlantedFault(path, "missing-key", .object)
  }

  private static func isRequired(
    _ key: String, in path: ArraySlice<String>, of sketch: JSONSketch
  ) -> Bool {
    switch path.last {
    case nil:
      ["name", "details", "id", "version", "author", "license", "model", "inputs", "outputs"]
        .contains(key)
    case "model": ["file", "quantized"].contains(key)
    case "quantize", "dequantize": ["scale", "bias"].contains(key)
    case "normalize", "denormalize": ["mean", "std"].contains(key)
    case "train": key == "ops"
    case "task": key == "type"
    case "labels": key == "file"
    case .some where path.first == "examples": key == "input"
    default: ["name", "type", "shape", "format"].contains(key)
    }
  }

  private static let wrongWord: Way = { sketch, path, _ in
    guard path.count > 1, let code = codes[path[path.count - 1]] ?? codes[path[path.count - 2]]
    else { return nil }
    // The list of modes is no word, and the types of models and tasks are anybody's.
    let isWord = path.last != "modes" && (path.last != "type" || path.count > 2)
    guard isWord else { return nil }
    sketch[path[...]] = .string("somethingElse")
    return PlantedFault(path, code)
  }

  private static let codes = [
    "type": "unknown-layer-type", "dtype": "unknown-dtype", "format": "unknown-format",
    "layout": "unknown-layout", "fit": "unknown-fit", "filter": "unknown-filter",
    "role": "unknown-role", "standard": "unknown-standard", "modes": "unknown-mode",
    "backend": "unknown-backend", "pad": "invalid-color", "shape": "wrong-type",
  ]

  private static let wrongLength: Way = { sketch, path, random in
    guard path.count > 1, path[path.count - 2] == "shape" else { return nil }
    let lengths = [
      ("0", "zero-axis"), ("-2", "negative-axis"), ("1.5", "not-an-integer"),
      ("1e2", "not-an-integer"), ("\"4\"", "wrong-type"),
      ("99999999999999999999", "too-many-elements"),
    ]
    let (word, code) = lengths[Int.random(in: lengths.indices, using: &random)]
    sketch[path[...]] = .word(word)
    return PlantedFault(path, code)
  }

  /// A key that stands in an object already.
  private static let twice: Way = { sketch, path, random in
    guard let key = path.last, case .object(let members) = sketch[path.dropLast()] else {
      return nil
    }
    let first = members.firstIndex { $0.key == key } ?? 0
    let index = Int.random(in: first + 1...members.count, using: &random)
    sketch[path.dropLast()]?.insert(key, .word("1"), at: index)
    return PlantedFault(path, "duplicate-key", .key)
  }

  /// A key that belongs to layers of the other direction.
  private static let misplaced: Way = { sketch, path, random in
    guard path.count == 2, case .object(let members) = sketch[path[...]],
      let key = ["inputs": "dequantize", "outputs": "fit", "placeholders": "role"][path[0]]
    else { return nil }
    let index = Int.random(in: 0...members.count, using: &random)
    sketch[path[...]]?.insert(key, .word("1"), at: index)
    return PlantedFault(path + [key], "misplaced-key", .key)
  }

  private static let emptyList: Way = { sketch, path, _ in
    guard path == ["inputs"] || path == ["outputs"] else { return nil }
    sketch[path[...]] = .array([])
    return PlantedFault(path, "empty-layers")
  }

  private static let sameName: Way = { sketch, path, _ in
    guard path.count == 3, path[1] == "1", path[2] == "name",
      let first = sketch[[path[0], "0", "name"]]
    else { return nil }
    // An example may speak of the name that is gone.
    sketch.remove("examples")
    sketch[path[...]] = first
    return PlantedFault(path, "duplicate-name")
  }

  /// An example that speaks of an output that is not there.
  private static let strangeName: Way = { sketch, path, _ in
    guard path.first == "examples", path.count == 2 else { return nil }
    let output = path + ["output"]
    sketch[output[...]] = .object([("nobody", .word("1"))])
    return PlantedFault(output + ["nobody"], "unknown-output", .key)
  }
}
