import TensorIOBundle
import TensorIOImage
import TensorIOJSON

extension DetectionTask {
  /// Recognizes the raw outputs of detectors with one image input by the folder that they were published in, or by the
  /// numbers of their boxes.
  package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    guard let image = evidence.image else { return nil }
    if let hub = evidence.hub, let head = hub.head {
      return head == "ObjectDetection" ? guess(hub, evidence) : nil
    }
    let outputs = evidence.outputs.compactMap { output -> RawOutput? in
      guard case .array(let layer) = output.layer.kind, let lengths = evidence.lengths(of: layer)
      else { return nil }
      return RawOutput(index: output.index, name: output.layer.name, lengths: lengths)
    }
    guard outputs.count == evidence.outputs.count else { return nil }
    let labelCount = evidence.labelCount
    if let guess = CenterNetGuess.guess(
      outputs.map { .init(index: $0.index, name: $0.name, lengths: $0.lengths) }, image, labelCount)
    {
      return guess
    }
    switch outputs.count {
    case 1:
      var found = guess(outputs[0], prototypes: nil, image, labelCount, evidence.statedTask)
      if statedHeads.contains(evidence.statedTask ?? "") { found?.confidence = .certain }
      return found
    case 2:
      if let masks = outputs.first(where: { $0.lengths.count == 3 }),
        let boxes = outputs.first(where: { $0.lengths.count == 2 })
      {
        var found = guess(boxes, prototypes: masks, image, labelCount, evidence.statedTask)
        if evidence.statedTask == "segment" { found?.confidence = .certain }
        return found
      }
      return guess(outputs, image, labelCount)
    default: return nil
    }
  }

  /// Recognizes detectors of Transformers, whose queries return one object each.
  ///
  /// A query has a score of each class, and a box in fractions of the image. No box removes another.
  private static func guess(_ hub: HubFolder, _ evidence: TaskGuess.Evidence) -> TaskGuess? {
    guard let (scores, layer) = evidence.output(named: TaskGuess.Evidence.logitsName),
      let (boxes, _) = evidence.output(named: "pred_boxes"), boxes != scores
    else { return nil }
    var guess = TaskGuess(
      format.names[0], roles: [boxes: .boxes, scores: .scores], labeledOutput: boxes,
      confidence: .certain)
    guess.areSettingsStated = true
    guess.settings = [
      "head": .string(PriorDecodedHead.name), "box_order": "cxcywh", "iou": 1, "threshold": 0.5,
    ]
    if hasNoObjectClass(hub, layer, evidence.labelCount) {
      guess.settings["activation"] = "softmax"
      guess.settings["background_class"] = "last"
    } else {
      guess.settings["activation"] = "sigmoid"
    }
    return guess
  }

  /// Returns whether the last score of a query is that of no object.
  ///
  /// Otherwise the classes do not exclude each other.
  private static func hasNoObjectClass(
    _ hub: HubFolder, _ scores: NumericLayer, _ labelCount: Int?
  ) -> Bool {
    if let labels = labelCount ?? hub.labelCount, let columns = scores.shape.dimensions.last,
      let columns, columns == labels || columns == labels + 1
    {
      return columns == labels + 1
    }
    return hub[.config, "model_type"]?.string.map(exclusiveTypes.contains) ?? false
  }

  /// The types of models, in the names of Transformers, with a class for no object.
  private static let exclusiveTypes: Set = ["detr", "yolos", "table-transformer"]

  /// An output with its lengths after the batch.
  private struct RawOutput {
    let index: Int
    let name: String
    let lengths: [Int]
  }

  /// The tasks in the metadata of models with one output of raw boxes.
  private static let statedHeads: Set = ["detect", "obb"]
  /// The numbers of boxes of a model that removes duplicates itself.
  private static let finalBoxCounts = [100, 300]

  /// Recognizes an output with boxes and scores.
  private static func guess(
    _ output: RawOutput, prototypes: RawOutput?, _ image: ImageLayer, _ labelCount: Int?,
    _ statedTask: String?
  ) -> TaskGuess? {
    // Ultralytics' models of poses have the shape of a detector with other classes.
    guard output.lengths.count == 2, statedTask != "pose" else { return nil }
    let (rows, columns) = (output.lengths[0], output.lengths[1])
    let cells = TaskGuess.Evidence.cellCount(of: image)
    let weights = prototypes.map { MaskPrototypes.count(inShape: $0.lengths) } ?? 0
    func fits(_ numbers: Int, _ others: Int) -> Bool {
      labelCount.map { numbers == others + $0 } ?? (numbers > others)
    }
    let hasAngles = statedTask == "obb"
    if prototypes == nil, columns == cells || hasAngles && rows == cells,
      hasAngles || labelCount.map({ min(rows, columns) == 5 + $0 }) == true
    {
      return guess(
        "yolov8-obb", output, numbersPerBox: min(rows, columns), .yolo,
        note: "; the last one is the angle of the box")
    }
    if rows == cells, prototypes == nil, fits(columns, 5) {
      return guess("yolox", output, numbersPerBox: 5 + (labelCount ?? columns - 5), .yolox)
    }
    if rows == 3 * cells, prototypes == nil, fits(columns, 5) {
      return guess("yolov5", output, numbersPerBox: columns, .yolo)
    }
    if finalBoxCounts.contains(rows), columns == 6, prototypes == nil {
      return guess("yolov10", output, numbersPerBox: columns, .yolo)
    }
    guard columns == cells && fits(rows, 4 + weights) || rows == cells && fits(columns, 4 + weights)
    else { return nil }
    var guess = guess("yolov8", output, numbersPerBox: min(rows, columns), .yolo)
    if let prototypes { guess.roles[prototypes.index] = .prototypes }
    return guess
  }

  private static func guess(
    _ head: String, _ output: RawOutput, numbersPerBox: Int, _ image: TaskGuess.ImagePreparation,
    note: String = ""
  ) -> TaskGuess {
    var guess = TaskGuess(
      "detection", roles: [output.index: .boxes], labeledOutput: output.index,
      reviewNote: "inferred from its shape, \(numbersPerBox) numbers for each cell of the grids of "
        + "\(head)\(note)")
    guess.settings["head"] = .string(head)
    guess.image = image
    return guess
  }

  /// Recognizes an output with boxes beside one with scores.
  private static func guess(
    _ outputs: [RawOutput], _ image: ImageLayer, _ labelCount: Int?
  ) -> TaskGuess? {
    guard outputs.allSatisfy({ $0.lengths.count == 2 }),
      outputs[0].lengths[0] == outputs[1].lengths[0], outputs[0].lengths[0] > 100
    else { return nil }
    let boxCount = outputs[0].lengths[0]
    let numbers = outputs.map { $0.lengths[1] }
    let detectors = numbers.map {
      AnchoredDetectorGuess.detector(image, boxCount: boxCount, numbersPerBox: $0)
    }
    guard let boxes = detectors.firstIndex(where: { $0 != nil }) ?? numbers.firstIndex(of: 4),
      numbers[1 - boxes] != numbers[boxes]
    else { return nil }
    let detector = detectors[boxes]
    let scores = 1 - boxes
    var guess = TaskGuess(
      "detection",
      roles: [outputs[boxes].index: .boxes, outputs[scores].index: .scores],
      labeledOutput: outputs[boxes].index, confidence: detector == nil ? .possible : .likely,
      reviewNote: detector.map { "inferred from the \(boxCount) boxes of \($0.name)" }
        ?? "inferred from a row for each box in both outputs; the boxes may be relative to anchors")
    guess.settings["head"] = "prior-decoded"
    if let detector {
      guess.settings = detector.settings
      guess.image = detector.image
    } else if labelCount.map({ numbers[scores] == $0 + 1 }) ?? (numbers[scores] == 2) {
      guess.settings["background_class"] = "first"
    }
    return guess
  }
}

extension TaskGuess.ImagePreparation {
  /// The images of YOLO v5 and later, as Ultralytics prepares them.
  fileprivate static let yolo = TaskGuess.ImagePreparation(
    fit: .letterbox, filter: .linear, pad: gray, normalize: .normalizing(to: .zeroToOne))

  /// The images of YOLOX.
  fileprivate static let yolox = TaskGuess.ImagePreparation(
    fit: .letterbox, anchor: .topLeft, filter: .linear, pad: gray, format: .bgr)

  private static let gray = PixelColor(red: 114, green: 114, blue: 114)
}
