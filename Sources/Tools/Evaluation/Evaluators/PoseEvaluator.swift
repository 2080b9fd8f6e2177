import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOTasks

/// Evaluates poses with the COCO keypoint metrics.
struct PoseEvaluator: Evaluator {
  /// The standard deviation of keypoints other than the 17 of COCO, relative to the size of the object.
  private static let defaultSigma = 0.05
  /// The minimum similarity at which a sample image counts an object as found.
  private static let sampleSimilarity = 0.5

  private let options: PoseOptions
  private let read: ResultReading.Function<[Pose]>
  private var metric = KeypointMetric()
  private var samples = SamplePredictions()
  /// The metric of each image.
  private var items: [KeypointMetric] = []

  /// Creates an evaluator; metrics use all poses regardless of the bundle's threshold.
  init(_ model: ResultReader) throws(ModelError) {
    var options = PoseOptions(nil)
    (options.keypoints, read) = try model.reading(
      .results(minimumScore: -.infinity, top: KeypointMetric.maxPoses)
    ) { if case .poses(let names, let read) = $0 { (names, read) } else { nil } }
    self.options = options
  }

  /// Returns the scores and areas of poses and objects, and their similarities.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .boxes(let boxes) = example.groundTruth else {
      throw ItemScore.malformed(example.item)
    }
    let poses = try read(output)
    let objects = boxes.filter { $0.keypoints != nil }
    return PoseScore(
      poses: poses.map { ScoredArea(score: Double($0.score), area: $0.extent?.area ?? 0) },
      objects: objects.map { object in
        let isMarked = object.keypoints?.contains(where: \.isMarked) ?? false
        return MatchTarget(
          area: object.area, isCrowd: object.isCrowd, isIgnored: object.isCrowd || !isMarked)
      },
      similarities: poses.flatMap { pose in objects.map { similarity(of: pose, to: $0) } }
    ).itemScore
  }

  private func similarity(of pose: Pose, to object: AnnotatedBox) -> Double {
    let keypoints = object.keypoints ?? []
    let names = names(of: keypoints)
    let marked = zip(names, keypoints).filter { $1.isMarked }.map {
      Pose.Keypoint(name: $0, x: $1.x, y: $1.y)
    }
    let box = BoundingBox(
      xmin: object.xmin, ymin: object.ymin, xmax: object.xmax, ymax: object.ymax)
    let sigmas =
      names.count == COCOKeypoints.sigmas.count
      ? COCOKeypoints.sigmas : names.map { _ in Self.defaultSigma }
    return pose.similarity(
      to: KeypointAnnotation(keypoints: marked, area: object.area, box: box), names: names,
      sigmas: sigmas)
  }

  /// Returns the bundle's names of keypoints: those at the same positions, or if the numbers differ, those
  /// of the dataset with spaces.
  private func names(of keypoints: [AnnotatedKeypoint]) -> [String] {
    let names = options.names(keypoints.count)
    guard options.keypoints.map({ $0.count == keypoints.count }) ?? true else {
      return keypoints.map { $0.name.replacing("_", with: " ") }
    }
    return names
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let score = PoseScore(score) else { throw ItemScore.malformed(item) }
    var single = KeypointMetric()
    single.add(score.poses, score.objects) { score.similarity($0, $1) }
    metric.add(single, times: 1)
    items.append(single)
    let (count, found, loss) = Self.found(score)
    samples.add(
      SamplePrediction(
        name: item.name, imagePath: item.imagePath,
        groundTruth: "\(count) \(count == 1 ? "object" : "objects")",
        prediction: "\(found) found", isCorrect: found == count, loss: loss))
  }

  func summary(of score: ItemScore) -> ItemSummary? {
    guard let score = PoseScore(score) else { return nil }
    let (count, found, loss) = Self.found(score)
    return ItemSummary(
      groundTruth: .numbers([Double(count)]), prediction: .numbers([Double(found)]),
      isCorrect: found == count, confidence: score.poses.map(\.score).max(), loss: loss)
  }

  func itemMetrics() -> [any ItemMetric] {
    let poses = items.reduce(0) { $0 + $1.recordCount }
    return [
      MergedItems(items, empty: KeypointMetric(), itemCost: 100 * poses / max(1, items.count))
    ]
  }

  /// Returns the number of objects, the number of those that are found, and the similarity that is missing.
  private static func found(_ score: PoseScore) -> (count: Int, found: Int, loss: Double) {
    let counted = score.objects.indices.filter { !score.objects[$0].isIgnored }
    let found = counted.count { object in
      score.poses.indices.contains { score.similarity($0, object) >= sampleSimilarity }
    }
    let best = counted.compactMap { object in
      score.poses.indices.map { score.similarity($0, object) }.max()
    }
    return (counted.count, found, Double(counted.count) - best.reduce(0, +))
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values
    result.samples = samples
  }
}

/// The scores and areas of the poses and objects of an image, and their similarities.
private struct PoseScore {
  let poses: [ScoredArea]
  let objects: [MatchTarget]
  /// The similarity of each pose to each object, by pose.
  let similarities: [Double]

  init(poses: [ScoredArea], objects: [MatchTarget], similarities: [Double]) {
    (self.poses, self.objects, self.similarities) = (poses, objects, similarities)
  }

  /// Reads the values of a score; `nil` if they are malformed.
  init?(_ score: ItemScore) {
    let values = score.values
    guard values.count >= 2, let poseCount = Int(exactly: values[0]),
      let objectCount = Int(exactly: values[1]), poseCount >= 0, objectCount >= 0,
      poseCount <= values.count, objectCount <= values.count,
      values.count == 2 + 2 * poseCount + 3 * objectCount + poseCount * objectCount
    else { return nil }
    poses = (0..<poseCount).map { index in
      ScoredArea(score: values[2 + 2 * index], area: values[3 + 2 * index])
    }
    let start = 2 + 2 * poseCount
    objects = (0..<objectCount).map { index in
      MatchTarget(
        area: values[start + 3 * index], isCrowd: values[start + 3 * index + 1] != 0,
        isIgnored: values[start + 3 * index + 2] != 0)
    }
    similarities = Array(values[(start + 3 * objectCount)...])
  }

  func similarity(_ pose: Int, _ object: Int) -> Double {
    similarities[pose * objects.count + object]
  }

  var itemScore: ItemScore {
    var values = [Double(poses.count), Double(objects.count)]
    for pose in poses { values += [pose.score, pose.area] }
    for object in objects {
      values += [object.area, object.isCrowd ? 1 : 0, object.isIgnored ? 1 : 0]
    }
    return ItemScore(values + similarities)
  }
}
