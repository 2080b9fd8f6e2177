import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport

/// A fake detector with given outputs.
struct Detector {
  /// A row of the outputs.
  struct Row {
    var corners: [Float]
    var score: Float
    var index: Float = 0
    var points: [Float] = []
  }

  var rows: [Row]
  var count: Float?
  var task = #"{"type": "detection", "threshold": 0}"#
  var labels: String?
  var offset = 0
  /// The parameters of each label's calibration; `nil` for scores that are not calibrated.
  var calibration: String?
  /// The image input.
  var width = 4
  var height = 4
  var fit = "crop"
  var pointCount = 0

  init(_ rows: [Row]) { self.rows = rows }

  /// The outputs are in an unusual order, so that only roles identify them.
  func bundle() throws -> TestBundle {
    let labelsMember =
      labels == nil ? "" : #", "labels": {"file": "labels.txt", "offset": \#(offset)}"#
    let points =
      pointCount == 0
      ? ""
      : #",{"name": "d", "type": "array", "shape": [1, \#(rows.count), \#(pointCount), 2], "role": "keypoints"}"#
    let calibrationMember = calibration == nil ? "" : #", "calibration": "calibration.txt""#
    let bundle = try TestBundle(
      inputs: """
        {"name": "image", "type": "image", "shape": [\(height), \(width), 3], "format": "RGB",
         "fit": "\(fit)"}
        """,
      outputs: """
        {"name": "c", "type": "array", "shape": [1], "role": "count"},
        {"name": "s", "type": "array", "shape": [1, \(rows.count)], "role": "scores"\(calibrationMember)},
        {"name": "k", "type": "array", "shape": [1, \(rows.count)], "role": "classes"\(labelsMember)},
        {"name": "b", "type": "array", "shape": [1, \(rows.count), 4], "role": "boxes"}\(points)
        """,
      labels: labels, extra: #""task": \#(task)"#)
    if let calibration { try bundle.write(Array(calibration.utf8), to: "assets/calibration.txt") }
    return bundle
  }

  func model(_ bundle: TestBundle) throws -> Model {
    let (rows, count) = (rows, count ?? Float(self.rows.count))
    var outputs = [[1], [1, rows.count], [1, rows.count], [1, rows.count, 4]]
    if pointCount > 0 { outputs.append([1, rows.count, pointCount, 2]) }
    let isPointed = pointCount > 0
    return try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "i", elementType: .uint8, shape: [1, height, width, 3])],
        outputs: outputs.map {
          TensorInfo(name: "o", elementType: .float32, shape: TensorShape($0))
        }
      ) { _ in
        let numbers = [[count], rows.map(\.score), rows.map(\.index), rows.flatMap(\.corners)]
        return (numbers + (isPointed ? [rows.flatMap(\.points)] : [])).map(\.rawBytes)
      })
  }
}
