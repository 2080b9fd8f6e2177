import TensorIOBundle
import TensorIOCore
import TensorIORuntimeConformance

extension ConformanceBundle {
  private static let doubles: [([Float], [Float])] = [
    ([1, 2, 3, -4], [2, 4, 6, -8]), ([0, 0.5, 1e6, -1], [0, 1, 2e6, -2]),
  ]

  /// The models that double numbers of each element type.
  private static func doubling(
    _ backend: BackendIdentifier, _ path: (String) -> String, x: [Int] = [4]
  ) -> [ConformanceBundle] {
    func model<Element: TensorElement>(
      _ rows: [([Element], [Element])]
    ) -> ConformanceBundle {
      function(
        "\(Element.elementType)", path("\(Element.elementType)"), backend, rows, x: x, y: x,
        required: [.inPlace])
    }
    return [
      model(
        [([1, 2, 3, -4], [2, 4, 6, -8]), ([0, 1e6, 0.25, 5], [0, 2e6, 0.5, 10])]
          as [([Double], [Double])]),
      model(
        [([1, 2, 3, -4], [2, 4, 6, -8]), ([0, 1 << 29, 7, 5], [0, 1 << 30, 14, 10])]
          as [([Int32], [Int32])]),
      model(
        [([1, 2, 3, -4], [2, 4, 6, -8]), ([0, 1 << 60, 7, 5], [0, 1 << 61, 14, 10])]
          as [([Int64], [Int64])]),
    ]
  }

  private static func floats16(_ backend: BackendIdentifier, _ path: String) -> ConformanceBundle {
    let factor: Float = backend == .onnx ? 1 : 2
    let rows: [[Float]] = [[1.5, -2, 0, 100], [0.25, 1, 2, 4]]
    let layer = { (name: String) in Layer(name: name, shape: [4], type: .float16) }
    return ConformanceBundle(
      name: "float16", path: path, backend: backend, inputs: [layer("x")], outputs: [layer("y")],
      samples: rows.map { row in
        .init(
          ["x": .float16(row, shape: [4])],
          outputs: ["y": .float16(row.map { $0 * factor }, shape: [4])])
      })
  }

  private static func strings(
    _ backend: BackendIdentifier, _ path: String, _ rows: [([String], [String])]
  ) -> ConformanceBundle {
    let layer = { (name: String) in Layer(name: name, shape: [rows[0].0.count], type: .string) }
    return ConformanceBundle(
      name: "strings", path: path, backend: backend, inputs: [layer("x")], outputs: [layer("y")],
      samples: rows.map {
        .init(["x": Tensor(Strings($0))], outputs: ["y": Tensor(Strings($1))])
      }, required: [.strings])
  }

  private static let booleans: [([Bool], [Bool])] = [
    ([true, false, true, true], [false, true, false, false]),
    ([false, false, true, false], [true, true, false, true]),
  ]

  static let liteRT: [ConformanceBundle] =
    doubling(.tflite, { "Models/double-\($0).tflite" })
    + [
      function("float32", "Models/double-float32.tflite", .tflite, doubles, required: always),
      function(
        "uint8", "Models/double-uint8.tflite", .tflite,
        [([10, 20, 0, 200], [10, 30, 0, 255]), ([11, 10, 10, 10], [12, 10, 10, 10])]
          as [([UInt8], [UInt8])]),
      function(
        "int8", "Models/double-int8.tflite", .tflite,
        [
          ([-10, 20, -60, 100], [-10, 50, -110, 127]), ([-9, -10, -10, -10], [-8, -10, -10, -10]),
        ]
          as [([Int8], [Int8])]),
      function(
        "int16", "Models/double-int16.tflite", .tflite,
        [([1, -2, 0, 30000], [2, -4, 0, 32767]), ([7, 0, 0, 1], [14, 0, 0, 2])]
          as [([Int16], [Int16])]),
      floats16(.tflite, "Models/double-float16.tflite"),
      function("bool", "Models/not-bool.tflite", .tflite, booleans),
      strings(
        .tflite, "Models/gather-string.tflite",
        [(["a", "ü"], ["ü", "a"]), (["", "long text"], ["long text", ""])]),
      function(
        "dynamic-batch", "Models/dynamic-batch.tflite", .tflite, doubles, x: [-1, 4], y: [-1, 4],
        required: [.freeBatch]),
      history("history"), history("history-with-intermediates"),
    ]

  /// The sums of the last three runs, weighted 100, 10 and 1.
  private static func history(_ name: String) -> ConformanceBundle {
    var model = function(
      name, "Models/\(name).tflite", .tflite,
      [([1, 0], [1]), ([0.5, 1.5], [2]), ([1, 2], [3])] as [([Float], [Float])], x: [1, 2],
      y: [1], required: [.state])
    model.outputsWithState = [1, 12, 123].map { ["y": Tensor([$0] as [Float])] }
    return model
  }

  static let tensorFlow: [ConformanceBundle] =
    doubling(.tensorflow, { "TensorFlow/\($0).tiobundle" })
    + [
      function(
        "float32", "TensorFlow/more-axes.tiobundle", .tensorflow, doubles, required: always),
      function(
        "uint8", "TensorFlow/uint8.tiobundle", .tensorflow,
        [([1, 2, 3, 4], [2, 4, 6, 8]), ([0, 127, 5, 6], [0, 254, 10, 12])] as [([UInt8], [UInt8])]),
      function("bool", "TensorFlow/bool.tiobundle", .tensorflow, booleans),
      strings(
        .tensorflow, "TensorFlow/strings.tiobundle",
        [(["a", "b"], ["B", "A"]), (["", "long text"], ["LONG TEXT", ""])]),
      function(
        "one-of-a-batch", "TensorFlow/one-of-a-batch.tiobundle", .tensorflow, doubles,
        required: [.freeBatch]),
      twoInputs("TensorFlow/several-batched.tiobundle"),
    ]

  private static func twoInputs(_ path: String) -> ConformanceBundle {
    let layer = { (name: String) in Layer(name: name, shape: [-1, 3], type: .float32) }
    let rows: [([Float], [Float], Float, Int32)] = [
      ([1, 2, 3], [4, 5, 6], 32, 3), ([0, 1, 0], [-1, 7, 0], 7, 1),
    ]
    return ConformanceBundle(
      name: "two inputs", path: path, backend: .tensorflow, inputs: [layer("a"), layer("b")],
      outputs: [],
      samples: rows.map { a, b, dot, above in
        .init(
          ["a": Tensor(a), "b": Tensor(b)],
          outputs: ["dot": Tensor([dot]), "above": Tensor([above])])
      }, required: [.freeBatch])
  }

  static let onnx: [ConformanceBundle] =
    doubling(.onnx, { "ONNX/double-\($0).onnx" })
    + [
      function("float32", "ONNX/double-float32.onnx", .onnx, doubles, required: always),
      function(
        "uint8", "ONNX/double-uint8.onnx", .onnx,
        [([1, 2, 3, 100], [2, 4, 6, 200]), ([0, 9, 8, 7], [0, 18, 16, 14])] as [([UInt8], [UInt8])]),
      function(
        "int8", "ONNX/double-int8.onnx", .onnx,
        [([1, 2, 3, -4], [2, 4, 6, -8]), ([0, 9, 8, 7], [0, 18, 16, 14])] as [([Int8], [Int8])]),
      function(
        "int16", "ONNX/double-int16.onnx", .onnx,
        [([1, 2, 3, -4], [1, 2, 3, -4]), ([0, 30000, -30000, 7], [0, 30000, -30000, 7])]
          as [([Int16], [Int16])]),
      floats16(.onnx, "ONNX/double-float16.onnx"),
      function("bool", "ONNX/not-bool.onnx", .onnx, booleans),
      strings(
        .onnx, "ONNX/reversed-strings.onnx",
        [(["a", "b", "c"], ["c", "b", "a"]), (["", "long text", "ü"], ["ü", "long text", ""])]),
      function(
        "linear-batch", "ONNX/linear-batch.onnx", .onnx,
        [
          ([1, 2, 3, 4], [2.1484375, 5.5, 0.9140625]),
          ([0.5, -1, 2, 0.25], [1.126953125, 1.412109375, -1.83984375]),
        ] as [([Float], [Float])], x: [-1, 4], y: [-1, 3], required: [.freeBatch]),
    ]

  /// The checks that apply to a model of numbers with a fixed shape.
  private static let always = Set(ConformanceCheck.allCases).subtracting([.freeBatch, .strings])
}
