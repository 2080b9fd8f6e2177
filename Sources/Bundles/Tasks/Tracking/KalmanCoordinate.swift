/// A Kalman filter of one coordinate that moves with constant velocity.
///
/// The noise of the coordinates of a box is independent, so that a filter of the box is one filter for
/// each coordinate.
struct KalmanCoordinate: Sendable {
  /// The standard deviations of the noise.
  struct Noise: Sendable {
    let position: Double
    let velocity: Double
    let measurement: Double
  }

  private(set) var position: Double
  private(set) var velocity = 0.0
  private var positionVariance: Double
  private var covariance = 0.0
  private var velocityVariance: Double

  /// Creates a filter from the first measurement and its standard deviations.
  init(_ position: Double, positionDeviation: Double, velocityDeviation: Double) {
    self.position = position
    positionVariance = positionDeviation * positionDeviation
    velocityVariance = velocityDeviation * velocityDeviation
  }

  /// Predicts the next frame.
  mutating func predict(_ noise: Noise) {
    position += velocity
    positionVariance += 2 * covariance + velocityVariance + noise.position * noise.position
    covariance += velocityVariance
    velocityVariance += noise.velocity * noise.velocity
  }

  /// Corrects the state with a measurement.
  mutating func correct(_ measurement: Double, _ noise: Noise) {
    let total = positionVariance + noise.measurement * noise.measurement
    guard total > 0 else { return }
    let (positionGain, velocityGain) = (positionVariance / total, covariance / total)
    let innovation = measurement - position
    position += positionGain * innovation
    velocity += velocityGain * innovation
    velocityVariance -= velocityGain * covariance
    covariance -= positionGain * covariance
    positionVariance -= positionGain * positionVariance
  }

  /// Stops the movement.
  mutating func stop() { velocity = 0 }
}
