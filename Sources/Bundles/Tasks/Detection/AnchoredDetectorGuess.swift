import TensorIOBundle
import TensorIOImage
import TensorIOJSON

/// Recognizes MediaPipe's detectors by the number of their boxes, the numbers of each box and the size of
/// their images.
struct AnchoredDetectorGuess {
  /// The name of the detector.
  let name: String
  /// The side of the image.
  let side: Int
  /// The number of boxes.
  let boxCount: Int
  /// The numbers of each box: its center and size, and a point for each keypoint.
  let numbersPerBox: Int
  /// The ratio of the image to the grid of each layer of anchors.
  let strides: [Int]
  /// The anchors per cell and layer.
  let anchorsPerCell: Int
  /// The label of the objects.
  let label: String
  /// The range of the pixels.
  let range: StandardRange

  /// The detectors of MediaPipe's solutions.
  private static let all: [AnchoredDetectorGuess] = [
    .init("BlazeFace (short range)", 128, 896, 16, [8, 16, 16, 16], "face"),
    .init("BlazeFace (back camera)", 256, 896, 16, [16, 32, 32, 32], "face"),
    .init("BlazeFace (full range)", 192, 2304, 16, [4], "face", anchorsPerCell: 1),
    .init("MediaPipe's palm detector", 192, 2016, 18, [8, 16, 16, 16], "hand", range: .zeroToOne),
    .init("MediaPipe's pose detector", 224, 2254, 12, [8, 16, 32, 32, 32], "person"),
  ]

  private init(
    _ name: String, _ side: Int, _ boxCount: Int, _ numbersPerBox: Int, _ strides: [Int],
    _ label: String, anchorsPerCell: Int = 2, range: StandardRange = .minusOneToOne
  ) {
    (self.name, self.side, self.boxCount, self.numbersPerBox) = (
      name, side, boxCount, numbersPerBox
    )
    (self.strides, self.label, self.anchorsPerCell, self.range) = (
      strides, label, anchorsPerCell, range
    )
  }

  /// Returns the detector with images of a size and boxes of a shape; `nil` if there is none.
  static func detector(
    _ image: ImageLayer, boxCount: Int, numbersPerBox: Int
  ) -> AnchoredDetectorGuess? {
    all.first {
      (image.width, image.height) == ($0.side, $0.side) && boxCount == $0.boxCount
        && numbersPerBox == $0.numbersPerBox
    }
  }

  /// The settings of the task.
  var settings: [String: JSONValue] {
    var settings: [String: JSONValue] = [
      "head": "ssd", "strides": .array(strides.map { .integer(Int64($0)) }), "threshold": 0.5,
      "iou": 0.3, "suppression": "weighted", "label": .string(label),
    ]
    let setting = DetectionTask.anchorsPerCell
    if anchorsPerCell != setting.defaultValue {
      settings[setting.key] = .integer(Int64(anchorsPerCell))
    }
    return settings
  }

  /// The preparation of the images, as MediaPipe's tasks compute it on a processor.
  var image: TaskGuess.ImagePreparation {
    TaskGuess.ImagePreparation(
      fit: .letterbox, filter: .linearAsymmetric, normalize: .normalizing(to: range))
  }
}
