import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// The drafted normalization of an image input.
struct NormalizationDraft {
  let result: (normalize: Normalization?, finding: DraftedValue)

  init(
    _ image: ImageTensorShape, _ tensor: TensorInfo, _ metadata: ModelMetadata.TensorMetadata?,
    _ rescaling: InputRescaling?, requested: PixelRange?, _ path: String
  ) {
    let path = path + "/normalize"
    if let requested {
      result = (
        requested.normalization,
        DraftedValue(path: path, value: requested.text, source: .arguments)
      )
    } else if tensor.elementType == .uint8 {
      let value = "none: pixel values are passed unchanged"
      result = (nil, DraftedValue(path: path, value: value, source: .tensors))
    } else if let metadata, let statistics = PixelStatistics(metadata) {
      let normalize = statistics.normalization
      let finding = DraftedValue(
        path: path, value: normalize.map { _ in statistics.description } ?? "none",
        source: .metadata)
      result = (normalize, finding)
    } else if tensor.elementType == .int8 {
      result = (nil, Self.draftForInt8(tensor, path))
    } else if let range = rescaling.flatMap(PixelRange.init(expectedBy:)) {
      let value = "\(range.text); the model rescales them itself"
      result = (
        range.normalization, DraftedValue(path: path, value: value, source: .tensors)
      )
    } else {
      result = Self.heuristic(image, path)
    }
  }

  // Signed bytes usually hold pixels minus 128; the tensor's quantization shows whether the model
  // interprets them so.
  private static func draftForInt8(_ tensor: TensorInfo, _ path: String) -> DraftedValue {
    var finding = DraftedValue(path: path, value: "none: pixels minus 128", source: .tensors)
    guard let code = tensor.quantization else { return finding }
    let ends = [-128, 127].map { code.scale * (Float($0) - Float(code.zeroPoint)) }
    let isUsual = [[0, 1], [-1, 1], [0, 255]].contains { (usual: [Float]) in
      zip(usual, ends).allSatisfy { abs($0 - $1) <= 0.02 * max(1, abs($0)) }
    }
    if !isUsual {
      finding.reviewNote = "the model maps pixels to the range \(ends[0]) to \(ends[1])"
    }
    return finding
  }

  // Most TensorFlow Lite models were trained on -1 to 1; models with channels first and grayscale
  // models usually on 0 to 1.
  private static func heuristic(
    _ image: ImageTensorShape, _ path: String
  ) -> (Normalization?, DraftedValue) {
    let isUsual = image.layout == .channelsLast && image.format != .gray
    let range: PixelRange = isUsual ? .minusOneToOne : .zeroToOne
    let others = PixelRange.allCases.filter { $0 != range }.map { other in
      other == .raw ? "pixels from 0 to 255 (no \"normalize\")" : other.text
    }
    return (
      range.normalization,
      DraftedValue(
        path: path, value: range.rawValue, source: .heuristic,
        reviewNote: "not stated by the model; it may expect \(others.joined(separator: " or "))")
    )
  }
}

/// The mean and standard deviation of pixels from 0 to 255, from a model's metadata.
private struct PixelStatistics {
  let mean: [Float]
  let standardDeviation: [Float]

  /// Returns `nil` if the metadata has no plausible statistics.
  init?(_ metadata: ModelMetadata.TensorMetadata) {
    let means = Self.perChannel(metadata.mean)
    let deviations = Self.perChannel(metadata.standardDeviation)
    guard let means, let deviations, (means + deviations).allSatisfy(\.isFinite),
      deviations.allSatisfy({ (1e-3...1e6).contains($0) }),
      means.allSatisfy({ (-1e6...1e6).contains($0) })
    else { return nil }
    (mean, standardDeviation) = (means, deviations)
    guard isUniform || perChannelNormalization != nil else { return nil }
  }

  /// Expands a single value to all channels.
  private static func perChannel(_ values: [Float]) -> [Float]? {
    switch values.count {
    case 1: [values[0], values[0], values[0]]
    case 3: values
    default: nil
    }
  }

  private var isUniform: Bool { Set(standardDeviation).count == 1 }

  /// The equivalent normalization; `nil` if pixels are passed unchanged.
  var normalization: Normalization? {
    guard isUniform else { return perChannelNormalization }
    switch (Set(mean), standardDeviation[0]) {
    case ([0], 1): return nil
    case ([127.5], 127.5): return .normalizing(to: .minusOneToOne)
    case ([0], 255): return .normalizing(to: .zeroToOne)
    default:
      return Normalization(
        scale: ColorTriple(repeating: 1 / standardDeviation[0]),
        bias: ColorTriple(
          red: -mean[0] / standardDeviation[0], green: -mean[1] / standardDeviation[1],
          blue: -mean[2] / standardDeviation[2]))
    }
  }

  /// The normalization with a mean and deviation per channel, for pixels scaled to 0 to 1.
  private var perChannelNormalization: Normalization? {
    guard (mean + standardDeviation).allSatisfy({ (0...255).contains($0) }) else { return nil }
    let (mean, deviation) = (mean.map { $0 / 255 }, standardDeviation.map { $0 / 255 })
    return .normalizing(
      mean: ColorTriple(red: mean[0], green: mean[1], blue: mean[2]),
      standardDeviation: ColorTriple(red: deviation[0], green: deviation[1], blue: deviation[2]))
  }

  var description: String {
    if let standard = normalization?.standardRange { return standard.rawValue }
    return "mean \(mean), standard deviation \(standardDeviation) of pixels from 0 to 255"
  }
}
