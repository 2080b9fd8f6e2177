/// The boundary F score of masks: how exactly the outlines of classes are predicted.
///
/// The precision of a class is the fraction of the pixels of its predicted outline that are near its
/// actual outline, and the recall is the fraction of the pixels of its actual outline that are near the
/// predicted one. Near is a distance of at most 0.75 % of the diagonal of the image. The score of a class
/// is the mean F1 over the images in which it has an outline.
package struct BoundaryMetric: Metric {
  /// The numbers of pixels of the outlines of a class in an image.
  package struct Counts: Sendable, Hashable {
    /// The class.
    package var label: Int
    /// The number of pixels of the predicted outline.
    package var predicted = 0
    /// The number of those that are near the actual outline.
    package var predictedNear = 0
    /// The number of pixels of the actual outline.
    package var actual = 0
    /// The number of those that are near the predicted outline.
    package var actualNear = 0

    /// The F1 score; `nil` if the class has no outline.
    package var score: Double? {
      guard predicted + actual > 0 else { return nil }
      guard predictedNear > 0, actualNear > 0 else { return 0 }
      let precision = Double(predictedNear) / Double(predicted)
      let recall = Double(actualNear) / Double(actual)
      return 2 * precision * recall / (precision + recall)
    }
  }

  /// The distance that is near, relative to the diagonal of the image.
  package static let relativeTolerance = 0.0075

  private var scores: [Int: RunningMean] = [:]

  /// Creates a metric without masks.
  package init() {}

  /// Adds the numbers of pixels of a class in an image.
  package mutating func add(_ counts: Counts) {
    guard let score = counts.score else { return }
    scores[counts.label, default: RunningMean()].add(score)
  }

  /// Adds the predicted and correct classes of the pixels of an image.
  ///
  /// - Parameters:
  ///   - predicted: The predicted class of each pixel, row by row.
  ///   - groundTruth: The correct class of each pixel.
  ///   - width: The number of pixels of a row.
  ///   - ignored: The correct class of pixels that do not count.
  package mutating func add(
    _ predicted: [Int], groundTruth: [Int], width: Int, ignoring ignored: Int?
  ) {
    for counts in Self.counts(predicted, groundTruth, width: width, ignoring: ignored) {
      add(counts)
    }
  }

  /// Returns the score of a class; `nil` if it has no outline in any image.
  package func score(of label: Int) -> Double? { scores[label]?.value }

  /// The mean score of the classes with outlines.
  package var meanScore: Double? {
    scores.sorted { $0.key < $1.key }.compactMap(\.value.value).mean
  }

  /// `boundary_f`.
  package var values: [MetricValue] {
    [.fraction("boundary_f", meanScore)].compactMap(\.self)
  }
}

extension BoundaryMetric {
  /// Returns the numbers of pixels of the outlines of each class with an outline, in ascending order.
  package static func counts(
    _ predicted: [Int], _ groundTruth: [Int], width: Int, ignoring ignored: Int?
  ) -> [Counts] {
    guard width > 0, predicted.count == groundTruth.count, !predicted.isEmpty,
      predicted.count.isMultiple(of: width)
    else { return [] }
    let height = predicted.count / width
    let isIgnored = groundTruth.map { $0 == ignored }
    let diagonal = (Double(width * width) + Double(height * height)).squareRoot()
    let tolerance = relativeTolerance * diagonal
    let actualOutlines = outlines(of: groundTruth, isIgnored, width: width)
    let predictedOutlines = outlines(of: predicted, isIgnored, width: width)
    return Set(actualOutlines.keys).union(predictedOutlines.keys).sorted().map { label in
      let (actual, predicted) = (actualOutlines[label] ?? [], predictedOutlines[label] ?? [])
      var counts = Counts(label: label)
      (counts.actual, counts.predicted) = (actual.count, predicted.count)
      guard !actual.isEmpty, !predicted.isEmpty else { return counts }
      counts.actualNear = NearPixels(predicted, width: width, height: height)
        .count(actual, within: tolerance)
      counts.predictedNear = NearPixels(actual, width: width, height: height)
        .count(predicted, within: tolerance)
      return counts
    }
  }

  /// Returns the pixels of each class that have a neighbor of another class to the left, right, top or
  /// bottom.
  private static func outlines(
    of classes: [Int], _ isIgnored: [Bool], width: Int
  ) -> [Int: [Int]] {
    var outlines: [Int: [Int]] = [:]
    for pixel in classes.indices where !isIgnored[pixel] {
      let (x, label) = (pixel % width, classes[pixel])
      func differs(_ neighbor: Int) -> Bool { !isIgnored[neighbor] && classes[neighbor] != label }
      if x > 0 && differs(pixel - 1) || x + 1 < width && differs(pixel + 1)
        || pixel >= width && differs(pixel - width)
        || pixel + width < classes.count && differs(pixel + width)
      {
        outlines[label, default: []].append(pixel)
      }
    }
    return outlines
  }
}

/// The pixels near some pixels.
private struct NearPixels {
  private let width: Int
  private let height: Int
  /// The distance of each pixel to the nearest one in its row; at least the width without one.
  private var rowDistances: [Int32]

  init(_ pixels: [Int], width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    rowDistances = [Int32](repeating: Int32(clamping: width), count: width * height)
    for pixel in pixels { rowDistances[pixel] = 0 }
    for row in 0..<height {
      let start = row * width
      for x in 1..<max(1, width) {
        rowDistances[start + x] = min(rowDistances[start + x], rowDistances[start + x - 1] + 1)
      }
      for x in (0..<max(0, width - 1)).reversed() {
        rowDistances[start + x] = min(rowDistances[start + x], rowDistances[start + x + 1] + 1)
      }
    }
  }

  /// Returns how many pixels are within a distance.
  func count(_ pixels: [Int], within distance: Double) -> Int {
    let squared = Int(distance * distance)
    let reach = Int(distance)
    // Without a pixel in a row, the distance is more than the image is wide.
    return pixels.count { pixel in
      let (row, column) = (pixel / width, pixel % width)
      return (max(0, row - reach)...min(height - 1, row + reach)).contains { other in
        let across = Int(rowDistances[other * width + column])
        let down = other - row
        return across < width && across * across + down * down <= squared
      }
    }
  }
}
