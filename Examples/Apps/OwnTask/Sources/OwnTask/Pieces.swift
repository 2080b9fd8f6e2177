import TensorIO

/// The connected pieces of a segmentation: what is one class of pixels there is counted and boxed here.
struct Pieces: TaskResult {
  /// Adjacent pixels of one class.
  struct Piece: ResultRecord {
    let detection: Detection
    var pixelCount: Int

    static let members = [
      Member("label", \.detection.label), Member("score", \.detection.score),
      Member("pixels", \.pixelCount), Member("box", \.detection.box),
    ]
  }

  let content: [Piece]

  var key: String { "pieces" }

  var overlay: Overlay {
    Overlay(
      content.map { piece in
        .box(
          Overlay.Box(
            box: piece.detection.box, label: piece.detection.label,
            score: Double(piece.detection.score), color: piece.detection.color))
      })
  }
}
