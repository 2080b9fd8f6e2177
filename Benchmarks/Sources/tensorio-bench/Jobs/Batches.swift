import TensorIO

/// Several items at once, of a model that takes any number of them.
extension Job {
  static let batches = [
    Job(
      "batch", "\(count) digits at once, a model of any number of items", against: "one by one",
      .time(times: 1)
    ) {
      let model = try Model(
        ModelBundle(at: Place.trainableBundle),
        options: OpeningOptions(
          libraries: [.tensorflow: Place.tensorFlowLibrary]))
      let items = (0..<count).map(digit)
      return Contest(
        try .repeating { for _ in 0..<$0 { _ = try model.run(batch: items) } },
        against: try .repeating { for _ in 0..<$0 { _ = try items.map { try model.run($0) } } },
        agreement: try agreement(
          model.run(batch: items).map(scores), items.map { try scores(model.run($0)) }))
    }
  ]

  private static let count = 32

  /// An item's pixels, as the model takes them.
  private static func digit(_ item: Int) -> [Float] {
    (0..<64).map { Float(($0 * 37 + item * 11) % 17) / 16 }
  }

  private static func scores(_ output: ModelOutput) throws -> [Float] {
    output.layers[0].value.numbers?.floats ?? []
  }

  private static func agreement(_ ours: [[Float]], _ theirs: [[Float]]) -> String {
    let differences = zip(ours.joined(), theirs.joined()).map { abs($0 - $1) }
    return differences.count == count * 10 && differences.allSatisfy { $0 < 1e-6 }
      ? "same scores" : "other scores"
  }
}
