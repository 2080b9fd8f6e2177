import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct RowsTests {
  private static let rows = Tensor([1, 2, 3, 4, 5, 6] as [Float], shape: [3, 2])

  /// A model that takes rows `[-1,2]` of `float32` and counts its runs.
  private func model(
    _ outputs: String, _ tensors: [TensorInfo], labels: String? = nil, runs: Counter = Counter(),
    _ results: @escaping @Sendable ([Float]) -> [[UInt8]]
  ) throws -> Model {
    let fake = FakeModel(
      inputs: [TensorInfo(name: "x", elementType: .float32, shape: [-1, 2])], outputs: tensors
    ) { inputs in
      runs.increment()
      return results(inputs[0].elements(of: Float.self))
    }
    return try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [-1,2]}"#, outputs: outputs, labels: labels
    ).open(fake)
  }

  private func tensor(
    _ name: String, _ shape: TensorShape, _ type: ElementType = .float32
  ) -> TensorInfo {
    TensorInfo(name: name, elementType: type, shape: shape)
  }

  /// Checks that the outputs of rows are those of a batch, with the rows as their first dimension.
  private func expectEqual(_ rows: ModelOutput, _ batch: [ModelOutput]) throws {
    #expect(rows.names == batch[0].names)
    for name in rows.names {
      let all = try rows.tensor(name)
      let items = try batch.map { (item) throws(ModelError) in try item.tensor(name) }
      #expect(all.elementType == items[0].elementType)
      #expect(all.shape == [items.count] + items[0].shape)
      #expect(all.numbers?.doubles == items.flatMap { $0.numbers?.doubles ?? [] })
    }
  }

  @Test func `Rows run in one invocation, and their outputs equal those of a batch`() throws {
    let runs = Counter()
    let model = try model(
      """
      {"name": "sum", "type": "array", "shape": [-1], "dtype": "int64"},
      {"name": "all", "type": "array", "shape": [-1,2], "labels": "labels.txt"},
      {"name": "first", "type": "array", "shape": [-1,2], "labels": "labels.txt"},
      {"name": "one", "type": "scalar", "shape": [-1,1]}
      """,
      [
        tensor("sum", [-1], .int64), tensor("all", [-1, 2]), tensor("first", [-1, 2]),
        tensor("one", [-1, 1]),
      ], labels: "a\nb\n", runs: runs
    ) { values in
      let pairs = stride(from: 0, to: values.count, by: 2).map { (values[$0], values[$0 + 1]) }
      return [
        pairs.map { Int64($0 + $1) }.rawBytes, values.rawBytes, values.map { -$0 }.rawBytes,
        pairs.map { $0.0 }.rawBytes,
      ]
    }
    #expect(model.takesRows)
    let output = try model.run(rows: Self.rows.modelInput)
    #expect(runs.value == 1)
    #expect(try output.tensor("sum") == Tensor([3, 7, 11] as [Int64], shape: [3, 1]))
    #expect(try output.tensor("one") == Tensor([1, 3, 5] as [Float], shape: [3]))
    try expectEqual(output, model.run(batch: [[1, 2], [3, 4], [5, 6]] as [[Float]]))
    #expect(try model.run(rows: ["x": Self.rows]) == output)
    #expect(try model.run([1, 2])["sum"] == .numbers(Numbers(.integers([3]), shape: [1])))
  }

  @Test func `Scores of rows are calibrated`() throws {
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [-1,2]}"#,
      outputs: """
        {"name": "y", "type": "array", "shape": [-1,2], "labels": "labels.txt",
         "calibration": "calibration.txt"}
        """, labels: "a\nb\n")
    try bundle.write(Array("1,2,0\n1,0,1\n".utf8), to: "assets/calibration.txt")
    let tensor = tensor("t", [-1, 2])
    let model = try bundle.open(.identity(tensor))
    try expectEqual(
      model.run(rows: Self.rows.modelInput),
      model.run(batch: [[1, 2], [3, 4], [5, 6]] as [[Float]]))
  }

  @Test func `Integers and quantized numbers are converted as those of one item`() throws {
    for (type, quantize) in [
      (ElementType.int32, ""), (.uint8, #", "quantize": {"standard": "[0,1]"}"#),
    ] {
      let tensor = tensor("t", [-1, 2], type)
      let model = try TestBundle(
        inputs: #"{"name": "x", "type": "array", "shape": [-1,2]\#(quantize)}"#,
        outputs: #"{"name": "y", "type": "array", "shape": [-1,2]}"#
      ).open(.identity(tensor))
      let rows = Tensor([0, 1, 1, 0] as [Double], shape: [2, 2])
      try expectEqual(
        model.run(rows: rows.modelInput), model.run(batch: [[0, 1], [1, 0]] as [[Double]]))
    }
  }

  @Test func `Values that are no rows are errors with the layer`() throws {
    let model = try model(
      #"{"name": "y", "type": "array", "shape": [-1,2]}"#, [tensor("y", [-1, 2])]
    ) { [$0.rawBytes] }
    let cases: [(Tensor, String)] = [
      (Tensor([1, 2, 3] as [Float], shape: [1, 3]), "wrong-count"),
      (Tensor([1, 2] as [Float], shape: [2]), "wrong-count"),
      (Tensor([1, 2, 3, 4] as [Float], shape: [2, 2, 1]), "wrong-shape"),
      (Tensor([] as [Float], shape: [0, 2]), "wrong-type"),
      (Tensor([1e300, 2] as [Double], shape: [1, 2]), "out-of-range"),
      (Tensor(["a"]), "wrong-type"),
    ]
    for (rows, code) in cases {
      let error = #expect(throws: ModelError.self) { try model.run(rows: rows.modelInput) }
      #expect(error?.code == code && error?.layer == "x" && error?.stage == .input)
    }
    #expect(try model.run(rows: Self.rows.modelInput).tensor("y").shape == [3, 1, 2])
  }

  @Test func `Outputs with another number of rows are errors`() throws {
    let tensor = tensor("t", [-1, 2])
    var fake = FakeModel(inputs: [tensor], outputs: [tensor]) { [$0[0]] }
    fake.outputShapes = [[2, 2]]
    let model = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [-1,2]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [-1,2]}"#
    ).open(fake)
    let error = #expect(throws: ModelError.self) { try model.run(rows: Self.rows.modelInput) }
    #expect(error?.code == "wrong-shape" && error?.layer == "y")
  }

  @Test func `Other models do not take rows`() throws {
    let image = #"{"name": "y", "type": "image", "shape": [-1,1,1,3], "format": "RGB"}"#
    let fixed = tensor("t", [1, 2])
    let models = [
      try TestBundle(isPlaceholder: true).open(.pair),
      try TestBundle().open(.pair),
      try TestBundle(
        inputs: #"{"name": "x", "type": "array", "shape": [2,1]}"#,
        outputs: #"{"name": "y", "type": "array", "shape": [2,1]}"#
      ).open(.identity(tensor("t", [2, 1]))),
      try TestBundle(
        inputs: #"{"name": "x", "type": "array", "shape": [1,2]}"#,
        outputs: #"{"name": "y", "type": "array", "shape": [1,2]}"#
      ).open(.identity(fixed)),
      try model(image, [tensor("y", [-1, 1, 1, 3])]) { [$0.rawBytes] },
      try TestBundle(
        inputs: #"{"name": "x", "type": "array", "shape": [-1,-1]}"#,
        outputs: #"{"name": "y", "type": "array", "shape": [-1,-1]}"#
      ).open(.identity(tensor("t", [-1, -1]))),
    ]
    for model in models {
      #expect(!model.takesRows)
      let error = #expect(throws: ModelError.self) { try model.run(rows: Self.rows.modelInput) }
      #expect(error?.code == "unsupported")
    }
  }
}
