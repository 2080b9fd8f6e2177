extension ModelOutput {
  /// The outputs of one window of sound.
  public struct Window: Sendable, Equatable {
    /// The beginning of the window, in seconds.
    public let start: Double
    /// The end of the sound in the window, in seconds.
    public let end: Double
    /// The output layers, in the order of `model.json`.
    public let layers: [Layer]

    /// Creates the outputs of a window.
    public init(start: Double, end: Double, layers: [Layer]) {
      self.start = start
      self.end = end
      self.layers = layers
    }
  }
}

extension ModelOutput {
  /// Returns the output with windows that begin later.
  package func shiftingWindows(by seconds: Double) -> ModelOutput {
    let windows = windows.map {
      Window(start: $0.start + seconds, end: $0.end + seconds, layers: $0.layers)
    }
    let output = ModelOutput(
      layers: layers, imageGeometries: imageGeometries, texts: texts, windows: windows)
    return source.map { output.from($0) } ?? output
  }
}

extension [ModelOutput.Window] {
  /// Returns the mean of each output over the windows; the value of the last window for values without
  /// numbers, and for the outputs at the given positions.
  func meanLayers(keepingLast kept: Set<Int> = []) -> [ModelOutput.Layer] {
    guard let last else { return [] }
    return last.layers.indices.map { index in
      guard !kept.contains(index) else { return last.layers[index] }
      let values = compactMap { $0.layers.indices.contains(index) ? $0.layers[index].value : nil }
      return ModelOutput.Layer(
        name: last.layers[index].name, value: values.mean ?? last.layers[index].value)
    }
  }
}

extension [LayerValue] {
  /// The mean of numbers or scores of equal counts; `nil` for other values.
  fileprivate var mean: LayerValue? {
    guard count > 1, let last, let first = first?.numbers else { return first }
    var sums = [Double](repeating: 0, count: first.count)
    for value in self {
      guard let numbers = value.numbers, numbers.count == sums.count else { return nil }
      for (index, number) in numbers.doubles.enumerated() { sums[index] += number }
    }
    let means = sums.map { Float($0 / Double(count)) }
    guard case .classification(let classification) = last else {
      return .numbers(Numbers(.floats(means), shape: first.shape))
    }
    return .classification(Classification(labels: classification.labels, scores: means))
  }
}
