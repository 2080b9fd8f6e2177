/// The named points of MediaPipe's landmark models, and the lines between them.
struct MediaPipeSkeleton: Sendable {
  /// The names, in the order of the points.
  let names: [String]
  /// The lines, as pairs of indices.
  let lines: [(Int, Int)]

  /// The lines as pairs of names.
  var limbs: [[String]] { lines.map { [names[$0.0], names[$0.1]] } }

  /// The points of a hand.
  static let hand = MediaPipeSkeleton(
    names: ["wrist", "thumb cmc", "thumb mcp", "thumb ip", "thumb tip"]
      + ["index", "middle", "ring", "little"].flatMap { finger in
        ["mcp", "pip", "dip", "tip"].map { "\(finger) finger \($0)" }
      },
    lines: [(0, 1), (0, 5), (0, 17), (5, 9), (9, 13), (13, 17)]
      + [1, 5, 9, 13, 17].flatMap { first in (first..<first + 3).map { ($0, $0 + 1) } })

  /// The points of a body.
  ///
  /// The model has six more, which only serve to follow a person.
  static let body = MediaPipeSkeleton(
    names: [
      "nose", "left eye inner", "left eye", "left eye outer", "right eye inner", "right eye",
      "right eye outer", "left ear", "right ear", "mouth left", "mouth right", "left shoulder",
      "right shoulder", "left elbow", "right elbow", "left wrist", "right wrist",
      "left little finger", "right little finger", "left index finger", "right index finger",
      "left thumb", "right thumb",
      "left hip", "right hip", "left knee", "right knee", "left ankle", "right ankle", "left heel",
      "right heel", "left toe", "right toe",
    ],
    lines: [
      (0, 1), (1, 2), (2, 3), (3, 7), (0, 4), (4, 5), (5, 6), (6, 8), (9, 10), (11, 12), (11, 23),
      (12, 24), (23, 24), (11, 13), (13, 15), (15, 17), (15, 19), (15, 21), (17, 19), (12, 14),
      (14, 16), (16, 18), (16, 20), (16, 22), (18, 20), (23, 25), (25, 27), (27, 29), (27, 31),
      (29, 31), (24, 26), (26, 28), (28, 30), (28, 32), (30, 32),
    ])
}
