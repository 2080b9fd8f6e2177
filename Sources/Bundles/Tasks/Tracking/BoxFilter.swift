/// A Kalman filter of a box that moves with constant velocity: center, ratio of width to height, and
/// height.
///
/// The noise is proportional to the height of the box, as in SORT, DeepSORT and ByteTrack.
struct BoxFilter: Sendable {
  /// The standard deviation of a position, relative to the height.
  private static let positionWeight = 1.0 / 20
  /// The standard deviation of a velocity, relative to the height.
  private static let velocityWeight = 1.0 / 160

  private var x: KalmanCoordinate
  private var y: KalmanCoordinate
  private var aspect: KalmanCoordinate
  private var height: KalmanCoordinate

  /// Creates a filter from the first box.
  init(_ box: BoundingBox) {
    let position = 2 * Self.positionWeight * box.height
    let velocity = 10 * Self.velocityWeight * box.height
    func coordinate(_ value: Double) -> KalmanCoordinate {
      KalmanCoordinate(value, positionDeviation: position, velocityDeviation: velocity)
    }
    x = coordinate(box.center.x)
    y = coordinate(box.center.y)
    aspect = KalmanCoordinate(box.aspect, positionDeviation: 1e-2, velocityDeviation: 1e-5)
    height = coordinate(box.height)
  }

  /// The current box.
  var box: BoundingBox {
    let (width, height) = (aspect.position * height.position, height.position)
    let (left, top) = (x.position - width / 2, y.position - height / 2)
    return BoundingBox(xmin: left, ymin: top, xmax: left + width, ymax: top + height)
  }

  /// Predicts the next frame.
  mutating func predict() {
    let noise = lengthNoise
    x.predict(noise)
    y.predict(noise)
    aspect.predict(Self.aspectNoise)
    height.predict(noise)
  }

  /// Corrects the state with a detected box.
  mutating func correct(_ box: BoundingBox) {
    let noise = lengthNoise
    x.correct(box.center.x, noise)
    y.correct(box.center.y, noise)
    aspect.correct(box.aspect, Self.aspectNoise)
    height.correct(box.height, noise)
  }

  /// Stops the growth of the height, which is uncertain without detections.
  mutating func stopGrowth() { height.stop() }

  private static let aspectNoise = KalmanCoordinate.Noise(
    position: 1e-2, velocity: 1e-5, measurement: 1e-1)

  private var lengthNoise: KalmanCoordinate.Noise {
    KalmanCoordinate.Noise(
      position: Self.positionWeight * height.position,
      velocity: Self.velocityWeight * height.position,
      measurement: Self.positionWeight * height.position)
  }
}

extension BoundingBox {
  /// The center.
  var center: (x: Double, y: Double) { ((xmin + xmax) / 2, (ymin + ymax) / 2) }

  /// The ratio of width to height.
  fileprivate var aspect: Double { width / height }
}
