/// The mean and standard deviation from which the parser computes a normalization's scale and bias.
struct NormalizationStatistics {
  let mean: ColorTriple
  let deviation: ColorTriple

  init(_ normalization: Normalization, isInverse: Bool) {
    let (scale, bias) = (normalization.scale, normalization.bias)
    let red = ChannelStatistics(scale.red, bias.red, isInverse)
    let green = ChannelStatistics(scale.green, bias.green, isInverse)
    let blue = ChannelStatistics(scale.blue, bias.blue, isInverse)
    mean = ColorTriple(red: red.mean, green: green.mean, blue: blue.mean)
    deviation = ColorTriple(red: red.deviation, green: green.deviation, blue: blue.deviation)
  }
}

/// The mean and standard deviation of one color whose rounded scale and bias are the given ones.
private struct ChannelStatistics {
  let mean: Float
  let deviation: Float

  init(_ scale: Float, _ bias: Float, _ isInverse: Bool) {
    let sign: Float = isInverse ? 1 : -1
    let nearly = isInverse ? scale / 255 : 1 / (255 * scale)
    let deviations = nearly.neighbors.filter {
      (isInverse ? 255 * $0 : 1 / (255 * $0)) == scale
    }
    for deviation in deviations {
      let means = (sign * bias * deviation).neighbors
      guard let mean = means.first(where: { sign * $0 / deviation == bias }) else { continue }
      (self.mean, self.deviation) = (mean, deviation)
      return
    }
    (mean, deviation) = (sign * bias * nearly, nearly)
  }
}

extension Float {
  /// The number and its neighbors, nearest first, within the distance of the rounding error.
  fileprivate var neighbors: [Float] {
    let farthest = 4
    var (neighbors, above, below) = ([self], self, self)
    for _ in 0..<farthest {
      (above, below) = (above.nextUp, below.nextDown)
      neighbors += [above, below]
    }
    return neighbors
  }
}
