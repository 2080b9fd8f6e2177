import TensorIOImage
public import TensorIOTasks

extension BoxAnnotation {
  /// Creates an annotation from the box of an overlay.
  public init(_ box: Overlay.Box) {
    self.init(
      box: Canvas.Rectangle(box.box), label: box.label, score: box.score,
      color: Color(box.color), points: box.points.map { .init(x: $0.x, y: $0.y) })
  }

  /// Creates an annotation of a detected object, in the color of its class.
  ///
  /// ```swift
  /// import TensorIO
  /// import TensorIODrawing
  ///
  /// let model = try Model(at: "street.tiobundle")
  /// let image = try ImageBuffer(contentsOf: "street.jpg")
  /// let cars = try model.run(image).detections { $0.minimumScore = 0.3 }.filter { $0.label == "car" }
  /// var canvas = try Canvas(image)
  /// canvas.draw(cars.map { BoxAnnotation($0) })
  /// try canvas.image.write(to: "cars.png")
  /// ```
  public init(_ detection: Detection) {
    self.init(
      box: Canvas.Rectangle(detection.box), label: detection.label, score: Double(detection.score),
      color: Color(detection.color),
      points: detection.keypoints.map { .init(x: $0.x, y: $0.y) })
  }

  /// Creates an annotation of a tracked object, with its number behind the label.
  public init(_ object: TrackedObject) {
    self.init(object.detection)
    label += " #\(object.id)"
  }
}

extension Canvas.Rectangle {
  /// Creates a rectangle from the edges of a bounding box.
  public init(_ box: BoundingBox) {
    self.init(x: box.xmin, y: box.ymin, width: box.width, height: box.height)
  }
}
