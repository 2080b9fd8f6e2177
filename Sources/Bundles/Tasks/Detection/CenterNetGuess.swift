import TensorIOBundle
import TensorIOImage
import TensorIOJSON

/// Recognizes the outputs of CenterNet: scores for the cells of a grid, and sizes and possibly offsets for the same cells.
enum CenterNetGuess {
  /// An output with its lengths after the batch.
  struct Output {
    let index: Int
    let name: String
    let lengths: [Int]
  }

  /// Parts of names of the outputs, as exporters write them.
  private static let (scoreNames, sizeNames, offsetNames) = (
    ["heat", "hm", "center", "score"], ["size", "wh", "height"], ["offset", "reg", "off"]
  )
  /// The ratio of the image to the grid.
  private static let ratios = [4, 8]

  /// Returns the guess for a model with one image; `nil` for other outputs.
  static func guess(
    _ outputs: [Output], _ image: ImageLayer, _ labelCount: Int?
  ) -> TaskGuess? {
    guard (2...3).contains(outputs.count), outputs.allSatisfy({ $0.lengths.count == 3 }) else {
      return nil
    }
    for layout in [ImageLayout.channelsLast, .channelsFirst] {
      let grids = outputs.map { Grid($0, layout) }
      guard let first = grids.first,
        grids.allSatisfy({ ($0.height, $0.width) == (first.height, first.width) }),
        ratios.contains(where: {
          first.height * $0 == image.height && first.width * $0 == image.width
        })
      else { continue }
      if let guess = guess(grids, layout, labelCount) { return guess }
    }
    return nil
  }

  private struct Grid {
    let output: Output
    let height: Int
    let width: Int
    let channels: Int

    init(_ output: Output, _ layout: ImageLayout) {
      let lengths = output.lengths
      self.output = output
      (height, width, channels) =
        layout == .channelsLast
        ? (lengths[0], lengths[1], lengths[2]) : (lengths[1], lengths[2], lengths[0])
    }

    func isNamed(_ parts: [String]) -> Bool {
      let name = output.name.lowercased()
      return parts.contains { name.contains($0) }
    }
  }

  private static func guess(
    _ grids: [Grid], _ layout: ImageLayout, _ labelCount: Int?
  ) -> TaskGuess? {
    let candidates = grids.filter { grid in
      grids.allSatisfy { $0.output.index == grid.output.index || $0.channels == 2 }
        && labelCount.map { grid.channels == $0 } ?? true
    }
    // With two classes, the names decide.
    let named = candidates.filter { $0.isNamed(scoreNames) }
    guard let scores = candidates.count == 1 ? candidates.first : named.count == 1 ? named[0] : nil
    else { return nil }
    let others = grids.filter { $0.output.index != scores.output.index }
    let namedSizes = others.filter { $0.isNamed(sizeNames) && !$0.isNamed(offsetNames) }
    let isNamed = namedSizes.count == 1
    // Two outputs alone may be a pose of few keypoints: names decide.
    guard isNamed || others.count == 2, let sizes = isNamed ? namedSizes[0] : others.first else {
      return nil
    }
    var roles = [scores.output.index: OutputRole.scores, sizes.output.index: .boxes]
    if let offsets = others.first(where: { $0.output.index != sizes.output.index }) {
      roles[offsets.output.index] = .offsets
    }
    let order =
      isNamed
      ? "" : "; sizes and offsets have the same shape, so only their order distinguishes them"
    var guess = TaskGuess(
      "detection", roles: roles, labeledOutput: sizes.output.index,
      confidence: isNamed ? .likely : .possible,
      reviewNote: "inferred from a score per class and two sizes for each cell of a grid" + order)
    guess.settings["head"] = "centernet"
    if layout == .channelsFirst {
      guess.settings["layout"] = .string(ImageLayout.channelsFirst.rawValue)
    }
    return guess
  }
}
