import TensorIOTestSupport

/// Generates valid descriptions that cover the whole format, reproducibly.
struct RandomDescription {
  private var random: SeededGenerator
  private var names = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// Returns the next description.
  mutating func next() -> JSONSketch {
    names = 0
    let inputs = layers(isInput: true)
    let outputs = layers(isInput: false)
    var members: [(key: String, value: JSONSketch)] = [
      ("name", text()), ("details", text()), ("id", text()), ("version", .string("1")),
      ("author", text()), ("license", .string("")), ("model", model()),
      ("inputs", .array(inputs.map(\.sketch))), ("outputs", .array(outputs.map(\.sketch))),
    ]
    if oneIn(3) { members.append(("placeholders", .array(layers(isInput: true).map(\.sketch)))) }
    if oneIn(3) { members.append(("options", options())) }
    if oneIn(4) { members.append(("train", .object([("ops", .array([.string("train")]))]))) }
    if oneIn(4) { members.append(("eval", evaluation())) }
    if oneIn(4) { members.append(("task", .object([("type", .string("counting"))]))) }
    if oneIn(3) { members.append(("examples", .array([example(inputs, outputs)]))) }
    return .object(members.shuffled(using: &random))
  }

  private mutating func oneIn(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  private mutating func text() -> JSONSketch {
    pick(["", "plants", "naïve", "🌱 sprouts", #"a \"quoted\" \\ \u00e9\n"#].map(JSONSketch.string))
  }

  private mutating func number() -> JSONSketch {
    .token(pick(["0.5", "-1", "127.5", "4e-3", "2.0E+2", "0"]))
  }

  // MARK: The model

  private mutating func model() -> JSONSketch {
    var members: [(key: String, value: JSONSketch)] = [
      ("file", .string(pick(["model.tflite", "graphs/a b.tflite"]))),
      ("quantized", .token(pick(["true", "false"]))),
    ]
    if oneIn(2) { members.append(("backend", .string(pick(["tflite", "tensorflow"])))) }
    if oneIn(2) {
      members.append(("modes", .array([.string(pick(["predict", "train", "eval"]))])))
    }
    if oneIn(3) { members.append(("type", text())) }
    if oneIn(5) { members.append(("class", .string("PlantModel"))) }
    return .object(members.shuffled(using: &random))
  }

  private mutating func options() -> JSONSketch {
    .object([
      ("device_position", .string("front")), ("output_format", text()),
      ("theme", .object([("dark", .array([.token("true"), .token("null")]))])),
    ])
  }

  private mutating func evaluation() -> JSONSketch {
    names += 1
    let rate = JSONSketch.object([
      ("name", .string("rate\(names)")), ("type", .string("scalar")), ("shape", .numbers([1])),
      ("value", number()),
    ])
    return .object([("file", .string("eval")), ("placeholders", .array([rate]))])
  }

  // MARK: Layers

  private typealias NamedLayer = (name: String, sketch: JSONSketch)

  private mutating func layers(isInput: Bool) -> [NamedLayer] {
    (0..<Int.random(in: 1...2, using: &random)).map { _ in layer(isInput: isInput) }
  }

  private mutating func layer(isInput: Bool) -> NamedLayer {
    names += 1
    let name = pick(["x", "a/b", "m~n", "é"]) + "\(names)"
    let type = pick(["array", "image", "scalar", "string"])
    var members: [(key: String, value: JSONSketch)] = [
      ("name", .string(name)), ("type", .string(type)),
    ]
    members += fields(of: type, isInput: isInput)
    if !isInput, oneIn(4) { members.append(("role", .string(pick(["boxes", "scores", "mask"])))) }
    return (name, .object(members.shuffled(using: &random)))
  }

  private mutating func fields(
    of type: String, isInput: Bool
  ) -> [(key: String, value: JSONSketch)] {
    switch type {
    case "array": numeric(pick([[4], [1, 10], [-1, 6, 7]]), isInput: isInput)
    case "scalar": numeric(pick([[1], [-1, 1]]), isInput: isInput)
    case "image": image(isInput: isInput)
    default: [("shape", .numbers([16])), ("dtype", .string("uint8"))]
    }
  }

  private mutating func numeric(
    _ shape: [Int], isInput: Bool
  ) -> [(key: String, value: JSONSketch)] {
    var members: [(key: String, value: JSONSketch)] = [("shape", .numbers(shape))]
    if oneIn(3) { members.append(("dtype", .string(pick(["uint8", "float32", "int64", "bool"])))) }
    if oneIn(2) { members.append((isInput ? "quantize" : "dequantize", quantization())) }
    if !isInput, oneIn(3) { members.append(("labels", labels())) }
    if isInput, shape == [4], oneIn(3) {
      members.append(("features", .array(["a", "b", "naïve", "d e"].map(JSONSketch.string))))
    }
    return members
  }

  private mutating func quantization() -> JSONSketch {
    oneIn(2)
      ? .object([("standard", .string(pick(["[0,1]", "[-1,1]", "model"])))])
      : .object([("scale", number()), ("bias", number())])
  }

  private mutating func labels() -> JSONSketch {
    oneIn(2)
      ? .string("labels.txt")
      : .object([("file", .string("labels.txt")), ("offset", .token(pick(["1", "-1", "0"])))])
  }

  private mutating func image(isInput: Bool) -> [(key: String, value: JSONSketch)] {
    let isFirst = oneIn(3)
    let format = pick(["RGB", "BGR", "GRAY"])
    let sides = [32, 24]
    let channels = [format == "GRAY" ? 1 : 3]
    let batch = pick([[], [-1], [8]])
    var members: [(key: String, value: JSONSketch)] = [
      ("shape", .numbers(batch + (isFirst ? channels + sides : sides + channels))),
      ("format", .string(format)),
    ]
    if isFirst { members.append(("layout", .string("NCHW"))) }
    if oneIn(2) { members.append((isInput ? "normalize" : "denormalize", normalization())) }
    guard isInput else { return members }
    if oneIn(3) { members.append(("fit", .string(pick(["crop", "stretch", "letterbox"])))) }
    if oneIn(4) { members.append(("fit_anchor", .string(pick(["center", "top-left"])))) }
    if oneIn(3) {
      let filters = ["lanczos", "linear", "linear-asymmetric", "nearest"]
      members.append(("filter", .string(pick(filters))))
    }
    if oneIn(4) { members.append(("pad", pick([.string("#7f7F80"), .numbers([0, 127, 255])]))) }
    return members
  }

  private mutating func normalization() -> JSONSketch {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .object([("standard", .string("[-1,1]"))])
    case 1: .object([("mean", .numbers([0.485, 0.456, 0.406])), ("std", .token("0.25"))])
    case 2: .object([("scale", number())])
    default:
      .object([("scale", number()), ("bias", .object(["r", "g", "b"].map { ($0, number()) }))])
    }
  }

  // MARK: Examples

  private mutating func example(_ inputs: [NamedLayer], _ outputs: [NamedLayer]) -> JSONSketch {
    .object([
      ("input", .object(inputs.map { ($0.name, number()) })),
      ("output", .object([(outputs[0].name, .array([number()]))])),
      ("tolerance", .token("0.01")),
    ])
  }
}
