import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOTasks

/// Evaluates a detector and the tracker that follows its detections over the frames of videos.
struct TrackEvaluator: Evaluator {
  /// The values of a detection: class, edges and score.
  private static let valuesPerDetection = 6
  /// The values of a ground-truth box: number and edges.
  private static let valuesPerBox = 5
  /// The bits of a number that distinguish the sequences.
  private static let sequenceShift = 40

  private let read: ResultReading.Function<[Detection]>
  private let labels: [String]
  /// The tracker of the current sequence.
  private var tracker: (sequence: Int, tracker: ObjectTracker)?
  private var metric = TrackingMetric()
  private var samples = SamplePredictions()

  /// Creates an evaluator; the tracker takes detections below the bundle's threshold too.
  init(_ model: ResultReader, labels: [String]) throws(ModelError) {
    read = try model.boxes(.results(minimumScore: TrackerOptions().minimumScore)).read
    self.labels = labels
  }

  /// Returns the sequence, the number of detections, the detections and the ground truth.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .tracks(let boxes, let sequence) = example.groundTruth else {
      throw ItemScore.malformed(example.item)
    }
    let detections = try read(output)
    var values = [Double(sequence), Double(detections.count)]
    for detection in detections {
      let box = detection.box
      values += [Double(detection.index), box.xmin, box.ymin, box.xmax, box.ymax]
      values.append(Double(detection.score))
    }
    for box in boxes { values += [Double(box.id)] + box.edges }
    return ItemScore(values)
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let (sequence, detections, boxes) = frame(score.values) else {
      throw ItemScore.malformed(item)
    }
    if tracker?.sequence != sequence { tracker = (sequence, ObjectTracker()) }
    let objects = tracker?.tracker.update(with: detections) ?? []
    let offset = sequence << Self.sequenceShift
    metric.add(
      objects.map { .init(id: $0.id &+ offset, box: $0.detection.box) },
      groundTruth: boxes.map { .init(id: $0.id &+ offset, box: $0.box) })
    let difference = abs(objects.count - boxes.count)
    samples.add(
      SamplePrediction(
        name: item.name, imagePath: item.imagePath,
        groundTruth: "\(boxes.count) \(boxes.count == 1 ? "object" : "objects")",
        prediction: "\(objects.count) tracked", isCorrect: difference == 0,
        loss: Double(difference)))
  }

  private func frame(
    _ values: [Double]
  ) -> (sequence: Int, detections: [Detection], boxes: [TrackingMetric.Item])? {
    guard values.count >= 2, let sequence = Int(exactly: values[0]),
      let count = Int(exactly: values[1]),
      (0...(values.count / Self.valuesPerDetection)).contains(count)
    else { return nil }
    let end = 2 + count * Self.valuesPerDetection
    guard end <= values.count, (values.count - end).isMultiple(of: Self.valuesPerBox) else {
      return nil
    }
    let detections = stride(from: 2, to: end, by: Self.valuesPerDetection).map { start in
      let index = Int(exactly: values[start]) ?? -1
      let label = labels.indices.contains(index) ? labels[index] : String(index)
      return Detection(
        label: label, index: index, score: Float(values[start + 5]), box: box(values, start + 1))
    }
    let boxes = stride(from: end, to: values.count, by: Self.valuesPerBox).map { start in
      TrackingMetric.Item(id: Int(exactly: values[start]) ?? -1, box: box(values, start + 1))
    }
    return (sequence, detections, boxes)
  }

  private func box(_ values: [Double], _ start: Int) -> BoundingBox {
    BoundingBox(
      xmin: values[start], ymin: values[start + 1], xmax: values[start + 2],
      ymax: values[start + 3])
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values
    result.samples = samples
  }
}
