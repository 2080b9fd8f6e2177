import TensorIO

/// Finds the connected pieces in the output of a segmentation model.
struct PiecesTask: ModelTask {
  static let minimumPixels = TaskSetting.integer(
    "min_pixels", default: 100, "The minimum number of pixels of a piece.")
  static let format = TaskFormat("pieces", outputs: [.mask], settings: minimumPixels)

  private let mask: String
  private let minimumPixels: Int
  private var minimumScore: Float = 0

  init(_ model: ModelInfo) throws(ModelError) {
    mask = try model.output(.mask)
    minimumPixels = model[Self.minimumPixels]
  }

  var replacedOutputs: Set<String> { [mask] }

  /// Follows `--min-score`, and the same option of the server and of Python.
  mutating func apply(_ options: ResultOptions) {
    minimumScore = options.minimumScore ?? minimumScore
  }

  func result(of output: ModelOutput) throws(ModelError) -> Pieces {
    let map = try output.segmentation {
      $0.activation = .softmax
      $0.includesConfidences = true
    }
    let found = map.regions.flatMap { pieces(of: $0.index, in: map) }
    let selected = found.filter {
      $0.pixelCount >= minimumPixels && $0.detection.score >= minimumScore
    }
    return Pieces(content: selected.sorted { $0.detection.score > $1.detection.score })
  }

  /// Pieces are evaluated as boxes, with every dataset that has boxes.
  static func forms(for description: ModelDescription) -> [ResultForm] { [.boxes] }

  func reading(as form: ResultForm) -> ResultReading? {
    .boxes(minimumScore: minimumScore) { (output) throws(ModelError) in
      try result(of: output).content.map(\.detection)
    }
  }

  /// Fills each piece of a class from one of its pixels.
  private func pieces(of index: Int, in map: Segmentation) -> [Pieces.Piece] {
    var isOpen = map.classes.map { $0 == index }
    var pieces: [Pieces.Piece] = []
    for start in isOpen.indices where isOpen[start] {
      var (pixels, position) = ([start], 0)
      isOpen[start] = false
      while position < pixels.count {
        let (x, pixel) = (pixels[position] % map.width, pixels[position])
        position += 1
        let neighbors = [
          x > 0 ? pixel - 1 : -1, x + 1 < map.width ? pixel + 1 : -1, pixel - map.width,
          pixel + map.width,
        ]
        for next in neighbors where isOpen.indices.contains(next) && isOpen[next] {
          isOpen[next] = false
          pixels.append(next)
        }
      }
      pieces.append(piece(pixels, of: index, in: map))
    }
    return pieces
  }

  private func piece(_ pixels: [Int], of index: Int, in map: Segmentation) -> Pieces.Piece {
    let (columns, rows) = (pixels.map { $0 % map.width }, pixels.map { $0 / map.width })
    let box = BoundingBox(
      xmin: Double(columns.min() ?? 0), ymin: Double(rows.min() ?? 0),
      xmax: Double((columns.max() ?? 0) + 1), ymax: Double((rows.max() ?? 0) + 1))
    let score = pixels.reduce(0) { $0 + map.confidences[$1] } / Float(pixels.count)
    let detection = Detection(label: map.label(of: index), index: index, score: score, box: box)
    return Pieces.Piece(detection: detection, pixelCount: pixels.count)
  }
}
