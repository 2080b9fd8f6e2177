public import TensorIOTasks

/// A thing that is in a picture.
public struct TrueBox: Sendable, Hashable {
  /// What it is.
  public var category: Int
  /// Where it is.
  public var box: Box
  /// How many pixels it covers, of its outline where that is known; decides its size class.
  public var area: Double
  /// Whether it stands for a crowd: what is found in it counts neither as right nor as wrong.
  public var isCrowd: Bool

  /// A thing in a picture; it covers its box unless told otherwise.
  public init(category: Int, box: Box, area: Double? = nil, isCrowd: Bool = false) {
    self.category = category
    self.box = box
    self.area = area ?? box.area
    self.isCrowd = isCrowd
  }
}

/// A thing that a model has found in a picture.
public struct FoundBox: Sendable, Hashable {
  /// What it is.
  public var category: Int
  /// Where it is.
  public var box: Box
  /// How sure the model is.
  public var score: Double

  /// A thing that was found.
  public init(category: Int, box: Box, score: Double) {
    self.category = category
    self.box = box
    self.score = score
  }

  /// What a detecting model has found.
  public init(_ detection: Detection) {
    self.init(category: detection.index, box: detection.box, score: Double(detection.score))
  }
}

extension FoundBox {
  /// What it has in common with a thing, of both together, and of itself alone in a crowd.
  func overlap(with truth: TrueBox) -> Double {
    guard truth.isCrowd else { return box.intersectionOverUnion(truth.box) }
    return box.area > 0 ? box.intersection(truth.box).area / box.area : 0
  }
}
