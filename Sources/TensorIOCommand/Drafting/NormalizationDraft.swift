internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOLiteRT

/// How the pixels of an input become the numbers that a model was trained on.
struct NormalizationDraft {
  let result: (normalize: Normalization?, finding: DraftFinding)

  init(
    _ picture: PictureShape, _ tensor: TensorInfo, _ said: TFLiteMetadata.Tensor?, _ path: String
  ) {
    let path = path + "/normalize"
    if tensor.elementType == .uint8 {
      let value = "none: pixels go in as they are"
      result = (nil, DraftFinding(path: path, value: value, source: .tensors))
    } else if let said, let statistics = Statistics(said) {
      let normalize = statistics.normalization
      let finding = DraftFinding(
        path: path, value: normalize.map { _ in statistics.text } ?? "none", source: .metadata)
      result = (normalize, finding)
    } else if tensor.elementType == .int8 {
      result = (nil, Self.signed(tensor, path))
    } else {
      result = Self.guess(picture, path)
    }
  }

  /// Bytes with a sign hold pixels less 128; whether that is what the model means by them shows in
  /// what it takes the lowest and the highest for.
  private static func signed(_ tensor: TensorInfo, _ path: String) -> DraftFinding {
    var finding = DraftFinding(path: path, value: "none: pixels less 128", source: .tensors)
    guard let code = tensor.quantization else { return finding }
    let ends = [-128, 127].map { code.scale * (Float($0) - Float(code.zeroPoint)) }
    let isUsual = [[0, 1], [-1, 1], [0, 255]].contains { (usual: [Float]) in
      zip(usual, ends).allSatisfy { abs($0 - $1) <= 0.02 * max(1, abs($0)) }
    }
    if !isUsual { finding.doubt = "the model takes pixels for numbers of \(ends[0]) to \(ends[1])" }
    return finding
  }

  /// Most models for TensorFlow Lite were trained on -1 to 1; those that came from elsewhere, with
  /// their channels first, and those of gray pictures, on 0 to 1.
  private static func guess(
    _ picture: PictureShape, _ path: String
  ) -> (Normalization?, DraftFinding) {
    let isUsual = picture.layout == .channelsLast && picture.format != .gray
    let (range, other): (StandardRange, StandardRange) =
      isUsual ? (.minusOneToOne, .zeroToOne) : (.zeroToOne, .minusOneToOne)
    let doubt = "nothing in the model says so; it may have been trained on \(other.rawValue)"
    return (
      .to(range),
      DraftFinding(path: path, value: range.rawValue, source: .guess, doubt: doubt)
    )
  }
}

/// A mean and a deviation of pixels of 0 to 255, as a model's metadata gives them.
private struct Statistics {
  let mean: [Float]
  let deviation: [Float]

  /// Nothing when the metadata says nothing that makes sense.
  init?(_ said: TFLiteMetadata.Tensor) {
    let means = Self.colors(said.mean)
    let deviations = Self.colors(said.deviation)
    guard let means, let deviations, (means + deviations).allSatisfy(\.isFinite),
      deviations.allSatisfy({ (1e-3...1e6).contains($0) }),
      means.allSatisfy({ (-1e6...1e6).contains($0) })
    else { return nil }
    (mean, deviation) = (means, deviations)
    guard isUniform || normalizationByColor != nil else { return nil }
  }

  /// One number for all colours, or one for each.
  private static func colors(_ values: [Float]) -> [Float]? {
    switch values.count {
    case 1: [values[0], values[0], values[0]]
    case 3: values
    default: nil
    }
  }

  private var isUniform: Bool { Set(deviation).count == 1 }

  /// The normalization that does the same; `nil` when pixels go in as they are.
  var normalization: Normalization? {
    guard isUniform else { return normalizationByColor }
    switch (Set(mean), deviation[0]) {
    case ([0], 1): return nil
    case ([127.5], 127.5): return .to(.minusOneToOne)
    case ([0], 255): return .to(.zeroToOne)
    default:
      return Normalization(
        scale: ColorTriple(all: 1 / deviation[0]),
        bias: ColorTriple(
          red: -mean[0] / deviation[0], green: -mean[1] / deviation[1],
          blue: -mean[2] / deviation[2]))
    }
  }

  /// What a description can say of each colour by itself is of pixels scaled to 0 to 1.
  private var normalizationByColor: Normalization? {
    guard (mean + deviation).allSatisfy({ (0...255).contains($0) }) else { return nil }
    let (mean, deviation) = (mean.map { $0 / 255 }, deviation.map { $0 / 255 })
    return .to(
      mean: ColorTriple(red: mean[0], green: mean[1], blue: mean[2]),
      deviation: ColorTriple(red: deviation[0], green: deviation[1], blue: deviation[2]))
  }

  var text: String {
    if let standard = normalization?.standard { return standard.rawValue }
    return "mean \(mean), deviation \(deviation) of 0 to 255"
  }
}
