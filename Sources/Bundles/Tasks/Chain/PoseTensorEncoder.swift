import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON

/// Encodes the poses that a chain found in regions as the outputs of a pose model, in pixels of the caller's image.
struct PoseTensorEncoder {
  private enum Names {
    static let points = "keypoints"
    static let pointScores = "keypoint_scores"
    static let scores = "scores"
  }

  /// The step that finds the poses.
  let step: String
  /// The task of the poses.
  let task: TaskDescription
  private let names: [String]?

  /// Creates an encoder; `nil` if the last step finds no poses in regions.
  init?(_ chain: Chain) throws(ModelError) {
    guard let step = chain.description.steps.last, case .bundle(_, let sources) = step.kind,
      chain.description.hasRegion(among: sources), let model = chain.models[step.name],
      model.bundle.description.describesPoses
    else { return nil }
    self.step = step.name
    names = try ResultReader(model, .keypoints).poses().names
    guard var task = model.bundle.description.task else { return nil }
    task.settings["format"] = .string(PoseOptions.Format.decoded.rawValue)
    task.settings["coordinates"] = .string(DetectionOptions.Coordinates.pixels.rawValue)
    self.task = task
  }

  /// The outputs.
  var layers: [Layer] {
    [
      Self.layer(Names.points, [1, nil, nil, 2], .keypoints),
      Self.layer(Names.pointScores, [1, nil, nil], .keypointScores),
      Self.layer(Names.scores, [1, nil], .scores),
    ]
  }

  private static func layer(_ name: String, _ shape: [Int?], _ role: OutputRole) -> Layer {
    Layer(name: name, kind: .array(NumericLayer(shape: TensorShape(shape))), role: role)
  }

  /// Returns the outputs for the poses of a run; keypoints that are missing are not numbers.
  func output(of run: ChainOutput) -> ModelOutput {
    let poses = run.posesByStep[step] ?? []
    let rows = poses.map { $0.keypoints(named: names) }
    let count = max(1, rows.lazy.map(\.count).max() ?? 1)
    var points: [Float] = []
    var scores: [Float] = []
    for row in rows {
      for index in 0..<count {
        let keypoint = index < row.count ? row[index] : nil
        points += [Float(keypoint?.y ?? .nan), Float(keypoint?.x ?? .nan)]
        scores.append(keypoint?.score ?? .nan)
      }
    }
    let values: [(String, [Float], [Int])] = [
      (Names.points, points, [1, poses.count, count, 2]),
      (Names.pointScores, scores, [1, poses.count, count]),
      (Names.scores, poses.map(\.score), [1, poses.count]),
    ]
    let geometry = run.regionImageSize.map {
      ImageGeometry(identityWidth: $0.width, height: $0.height)
    }
    return ModelOutput(
      layers: values.map { name, values, shape in
        .init(name: name, value: .numbers(Numbers(.floats(values), shape: shape)))
      }, imageGeometries: geometry.map { [$0] } ?? [])
  }
}

extension ChainDescription {
  /// Whether a source is a step that extracts regions.
  func hasRegion(among sources: [String: ChainSource]) -> Bool {
    steps.contains { step in
      guard case .region = step.kind else { return false }
      return sources.values.contains(.step(step.name, output: nil))
    }
  }
}
