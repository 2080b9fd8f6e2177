import TensorIOBundle
import TensorIOImage
import TensorIOJSON

extension PoseTask {
  /// Recognizes a model with one image input by the shapes of its outputs: MoveNet, YOLO, PoseNet with and
  /// without a decoder, heat maps with offsets, and the landmarks of MediaPipe.
  package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    guard evidence.image != nil else { return nil }
    let outputs = evidence.outputs.compactMap { output -> Candidate? in
      guard case .array(let layer) = output.layer.kind, let lengths = evidence.lengths(of: layer)
      else { return nil }
      return Candidate(index: output.index, name: output.layer.name, lengths: lengths)
    }
    guard outputs.count == evidence.outputs.count, !outputs.isEmpty else { return nil }
    return yolo(outputs, evidence) ?? rows(outputs) ?? heatmap(outputs) ?? decoded(outputs)
      ?? landmarks(outputs)
  }

  /// An output with its lengths after the batch.
  struct Candidate {
    let index: Int
    let name: String
    let lengths: [Int]

    var elementCount: Int { lengths.reduce(1, *) }
  }

  /// The number of keypoints of COCO, and of numbers of a pose of MoveNet's multi-pose model.
  private static let (keypointCount, multiPoseColumns) = (17, 56)
  /// The largest number of keypoints of a heat map with offsets.
  private static let maxKeypoints = 256

  static func guess(
    _ format: PoseOptions.Format, _ roles: [Int: OutputRole], _ note: String,
    label: String = "person", _ image: TaskGuess.ImagePreparation?,
    confidence: TaskGuess.Confidence = .likely
  ) -> TaskGuess {
    var guess = TaskGuess(
      "pose", roles: roles, confidence: confidence, reviewNote: "inferred from \(note)")
    guess.settings = ["format": .string(format.rawValue), "label": .string(label)]
    guess.image = image
    return guess
  }

  /// The numbers of poses of a model that removes duplicates itself.
  private static let finalPoseCounts = [100, 300]

  /// Recognizes the poses of Ultralytics' models by the task and the keypoints in their metadata.
  private static func yolo(_ outputs: [Candidate], _ evidence: TaskGuess.Evidence) -> TaskGuess? {
    guard outputs.count == 1, let image = evidence.image, outputs[0].lengths.count == 2 else {
      return nil
    }
    let (rows, columns) = (outputs[0].lengths[0], outputs[0].lengths[1])
    let shape = evidence.keypointShape ?? [keypointCount, 3]
    guard shape.count == 2, (1...maxKeypoints).contains(shape[0]), [2, 3].contains(shape[1]) else {
      return nil
    }
    let numbers = shape[0] * shape[1]
    let isStated = evidence.statedTask == "pose"
    let cells = TaskGuess.Evidence.cellCount(of: image)
    let numbersPerPose = rows == cells ? columns : rows
    let format: PoseOptions.Format
    if finalPoseCounts.contains(rows), columns == 6 + numbers {
      format = .yolov10
    } else if isStated, rows == cells || columns == cells,
      numbersPerPose == 4 + (evidence.labelCount ?? 1) + numbers
    {
      format = .yolov8
    } else {
      return nil
    }
    var guess = guess(
      format, [outputs[0].index: .keypoints],
      "the \(format == .yolov10 ? columns : numbersPerPose) numbers per pose of \(format.rawValue)",
      .yolo, confidence: isStated ? .certain : .likely)
    if shape[0] != keypointCount {
      guess.settings["keypoints"] = .strings((0..<shape[0]).map(String.init))
      guess.settings["label"] = .string(label.defaultValue)
    }
    return guess
  }

  private static func rows(_ outputs: [Candidate]) -> TaskGuess? {
    guard outputs.count == 1 else { return nil }
    let (index, lengths) = (outputs[0].index, outputs[0].lengths)
    if lengths == [1, keypointCount, 3] {
      return guess(
        .movenet, [index: .keypoints], "the 17 rows of three numbers of MoveNet", .movenet)
    }
    guard lengths.count == 2, lengths[1] == multiPoseColumns else { return nil }
    return guess(
      .movenetMulti, [index: .keypoints], "the 56 numbers per pose of MoveNet", .movenet)
  }

  /// Recognizes a score and two offsets per keypoint for each cell of a grid, and the displacements of
  /// PoseNet.
  private static func heatmap(_ outputs: [Candidate]) -> TaskGuess? {
    guard [2, 3, 4].contains(outputs.count), outputs.allSatisfy({ $0.lengths.count == 3 }),
      Set(outputs.map { $0.lengths.prefix(2) }).count == 1
    else { return nil }
    let edges = keypointCount - 1
    let channels = { (output: Candidate) in output.lengths[2] }
    for scores in outputs where (2...maxKeypoints).contains(channels(scores)) {
      let others = outputs.filter { $0.index != scores.index }
      guard let offsets = others.first(where: { channels($0) == 2 * channels(scores) }) else {
        continue
      }
      var roles = [scores.index: OutputRole.heatmap, offsets.index: .offsets]
      let rest = others.filter { $0.index != offsets.index }
      guard !rest.isEmpty else {
        return guess(
          .heatmap, roles, "a score and two offsets for each of \(channels(scores)) keypoints",
          label: "pose", nil, confidence: .possible)
      }
      guard channels(scores) == keypointCount else { continue }
      if rest.count == 1, channels(rest[0]) == 4 * edges {
        roles[rest[0].index] = .displacements
      } else if rest.count == 2, rest.allSatisfy({ channels($0) == 2 * edges }) {
        let isBackward = { (name: String) in
          name.lowercased().contains("bwd") || name.lowercased().contains("backward")
        }
        let backward = rest.firstIndex { isBackward($0.name) } ?? 1
        roles[rest[backward].index] = .backwardDisplacements
        roles[rest[1 - backward].index] = .displacements
      } else {
        continue
      }
      return guess(.heatmap, roles, "the heat maps and displacements of PoseNet", .posenet)
    }
    return nil
  }

  /// Recognizes the outputs of a PoseNet model with a decoder; BodyPix models have others as well.
  private static func decoded(_ outputs: [Candidate]) -> TaskGuess? {
    guard outputs.count >= 4,
      let points = outputs.first(where: {
        $0.lengths.count == 3 && $0.lengths[1...] == [keypointCount, 2]
      })
    else { return nil }
    let poseCount = points.lengths[0]
    let keypointScores = outputs.first { $0.lengths == [poseCount, keypointCount] }
    let scores = outputs.first { $0.lengths == [poseCount] && poseCount > 1 }
    let count = outputs.first { $0.lengths.isEmpty || $0.lengths == [1] }
    guard let keypointScores, let scores, let count else { return nil }
    return guess(
      .decoded,
      [
        points.index: .keypoints, keypointScores.index: .keypointScores, scores.index: .scores,
        count.index: .count,
      ], "the outputs of a PoseNet decoder", .posenet)
  }
}

extension TaskGuess.ImagePreparation {
  /// The images of MoveNet: numbers from 0 to 255.
  fileprivate static let movenet = TaskGuess.ImagePreparation(fit: .letterbox, filter: .linear)

  /// The images of YOLO v8 and later, as Ultralytics prepares them.
  fileprivate static let yolo = TaskGuess.ImagePreparation(
    fit: .letterbox, filter: .linear, pad: PixelColor(red: 114, green: 114, blue: 114),
    normalize: .normalizing(to: .zeroToOne))

  /// The images of PoseNet models with a MobileNet.
  fileprivate static let posenet = TaskGuess.ImagePreparation(
    fit: .letterbox, filter: .linear, normalize: .normalizing(to: .minusOneToOne))
}
