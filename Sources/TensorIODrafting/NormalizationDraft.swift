import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOLiteRT

/// How the pixels of an input become the numbers that a model was trained on.
struct NormalizationDraft {
  let result: (normalize: Normalization?, finding: DraftedValue)

  init(
    _ picture: ImageTensorShape, _ tensor: TensorInfo, _ said: TFLiteMetadata.TensorMetadata?, _ path: String
  ) {
    let path = path + "/normalize"
    if tensor.elementType == .uint8 {
      let value = "none: pixels go in as they are"
      result = (nil, DraftedValue(path: path, value: value, source: .tensors))
    } else if let said, let statistics = PixelStatistics(said) {
      let normalize = statistics.normalization
      let finding = DraftedValue(
        path: path, value: normalize.map { _ in statistics.description } ?? "none", source: .metadata)
      result = (normalize, finding)
    } else if tensor.elementType == .int8 {
      result = (nil, Self.draftForInt8(tensor, path))
    } else {
      result = Self.heuristic(picture, path)
    }
  }

  /// Bytes with a sign hold pixels less 128; whether that is what the model means by them shows in
  /// what it takes the lowest and the highest for.
  private static func draftForInt8(_ tensor: TensorInfo, _ path: String) -> DraftedValue {
    var finding = DraftedValue(path: path, value: "none: pixels less 128", source: .tensors)
    guard let code = tensor.quantization else { return finding }
    let ends = [-128, 127].map { code.scale * (Float($0) - Float(code.zeroPoint)) }
    let isUsual = [[0, 1], [-1, 1], [0, 255]].contains { (usual: [Float]) in
      zip(usual, ends).allSatisfy { abs($0 - $1) <= 0.02 * max(1, abs($0)) }
    }
    if !isUsual { finding.reviewNote = "the model takes pixels for numbers of \(ends[0]) to \(ends[1])" }
    return finding
  }

  /// Most models for TensorFlow Lite were trained on -1 to 1; those that came from elsewhere, with
  /// their channels first, and those of gray pictures, on 0 to 1.
  private static func heuristic(
    _ picture: ImageTensorShape, _ path: String
  ) -> (Normalization?, DraftedValue) {
    let isUsual = picture.layout == .channelsLast && picture.format != .gray
    let (range, other): (StandardRange, StandardRange) =
      isUsual ? (.minusOneToOne, .zeroToOne) : (.zeroToOne, .minusOneToOne)
    let doubt = "nothing in the model says so; it may have been trained on \(other.rawValue)"
    return (
      .normalizing(to: range),
      DraftedValue(path: path, value: range.rawValue, source: .heuristic, reviewNote: doubt)
    )
  }
}

/// A mean and a deviation of pixels of 0 to 255, as a model's metadata gives them.
private struct PixelStatistics {
  let mean: [Float]
  let standardDeviation: [Float]

  /// Nothing when the metadata says nothing that makes sense.
  init?(_ said: TFLiteMetadata.TensorMetadata) {
    let means = Self.perChannel(said.mean)
    let deviations = Self.perChannel(said.standardDeviation)
    guard let means, let deviations, (means + deviations).allSatisfy(\.isFinite),
      deviations.allSatisfy({ (1e-3...1e6).contains($0) }),
      means.allSatisfy({ (-1e6...1e6).contains($0) })
    else { return nil }
    (mean, standardDeviation) = (means, deviations)
    guard isUniform || perChannelNormalization != nil else { return nil }
  }

  /// One number for all colours, or one for each.
  private static func perChannel(_ values: [Float]) -> [Float]? {
    switch values.count {
    case 1: [values[0], values[0], values[0]]
    case 3: values
    default: nil
    }
  }

  private var isUniform: Bool { Set(standardDeviation).count == 1 }

  /// The normalization that does the same; `nil` when pixels go in as they are.
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

  /// What a description can say of each colour by itself is of pixels scaled to 0 to 1.
  private var perChannelNormalization: Normalization? {
    guard (mean + standardDeviation).allSatisfy({ (0...255).contains($0) }) else { return nil }
    let (mean, deviation) = (mean.map { $0 / 255 }, standardDeviation.map { $0 / 255 })
    return .normalizing(
      mean: ColorTriple(red: mean[0], green: mean[1], blue: mean[2]),
      standardDeviation: ColorTriple(red: deviation[0], green: deviation[1], blue: deviation[2]))
  }

  var description: String {
    if let standard = normalization?.standardRange { return standard.rawValue }
    return "mean \(mean), deviation \(standardDeviation) of 0 to 255"
  }
}
