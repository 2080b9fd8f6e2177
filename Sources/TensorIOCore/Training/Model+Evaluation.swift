extension TrainableModel {
  /// The outputs averaged over data, with the weights as they are.
  ///
  /// A list of an output's numbers, one for each item, counts as a number for each.
  public func evaluate(
    _ data: some BatchSource, batchSize: Int = 32, loss: String? = nil
  ) async throws(ModelError) -> Averages {
    try await WorkThread.perform { () throws(ModelError) in
      try self.evaluating().averages(
        data, at: Array(0..<data.count), batchSize: batchSize, loss: loss)
    }
  }
}

extension Model {
  /// The outputs averaged over data, such as the loss of a model that is opened to be evaluated.
  ///
  ///     let model = try Model(bundleAt: path, options: Model.Options(mode: .evaluate))
  ///     let averages = try await model.evaluate(data)
  public func evaluate(
    _ data: some BatchSource, batchSize: Int = 32, loss: String? = nil
  ) async throws(ModelError) -> Averages {
    try await WorkThread.perform { () throws(ModelError) in
      try averages(data, at: Array(0..<data.count), batchSize: batchSize, loss: loss)
    }
  }

  /// The outputs averaged over some items.
  func averages(
    _ data: any BatchSource, at places: [Int], batchSize: Int, loss: String?
  ) throws(ModelError) -> Averages {
    guard batchSize > 0 else {
      throw ModelError(.input, .unsupported("a batch size of \(batchSize)"))
    }
    let loss = try description.lossName(loss)
    var means = RunningMeans()
    for start in stride(from: 0, to: places.count, by: batchSize) {
      let part = places[start..<min(start + batchSize, places.count)]
      let batch = try data.batch(at: part)
      do throws(ModelError) {
        means.add(try run(batch), items: batch.count)
      } catch {
        throw error.inSource(part)
      }
    }
    return Averages(
      loss: loss.flatMap { means.means[$0] }, values: means.means, items: means.items)
  }
}
