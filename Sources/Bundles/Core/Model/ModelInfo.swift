import Synchronization
public import TensorIOBundle

/// What a task needs to know of a model: its inputs and outputs, its labels and the settings of the bundle.
///
/// Outputs refer to it instead of to the model, so that keeping an output does not keep the model's
/// memory.
public final class ModelInfo: Sendable {
  /// The bundle that the model was opened from.
  package let bundle: ModelBundle
  /// The bundle's description, resolved for the model's mode.
  package let description: ModelDescription
  /// The labels that ``classLabels()`` returns, read when the model was opened; `nil` if they were not
  /// read.
  private let openedLabels: [String]?
  /// The calibration that ``scoreCalibration()`` returns, read with the labels.
  private let openedCalibration: ScoreCalibration?
  /// What decoders use beside the description, and the decoders that were created, by type.
  private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])

  /// Creates the source of a model's outputs.
  package init(_ bundle: ModelBundle, _ description: ModelDescription) {
    (self.bundle, self.description) = (bundle, description)
    (openedLabels, openedCalibration) = (nil, nil)
  }

  /// Creates the source of a model's outputs, and reads the labels that decoders need, so that they
  /// belong to the same state of the bundle as the model.
  init(readingLabelsOf bundle: ModelBundle, _ description: ModelDescription) throws(ModelError) {
    (self.bundle, self.description) = (bundle, description)
    openedLabels = try bundle.classLabels(of: description)
    openedCalibration = try bundle.classCalibration(of: description)
  }

  /// Whether an input is text that a tokenizer converts.
  package var takesText: Bool { description.inputs.contains(where: \.isText) }

  /// Returns the labels of the output with a role whose values are numbers of classes, such as `classes` or `mask`; empty
  /// if there are none.
  public func labels() throws(ModelError) -> [String] {
    if let openedLabels { return openedLabels }
    return try bundle.classLabels(of: description)
  }

  /// Returns the calibration of scores by class, for an output with scores but without labels of its
  /// own; `nil` if it declares none.
  package func scoreCalibration() throws(ModelError) -> ScoreCalibration? {
    guard openedLabels == nil else { return openedCalibration }
    return try bundle.classCalibration(of: description)
  }

  /// Returns the decoder of a type, which is created on first use; failures are not cached.
  package func cached<Decoder: Sendable>(
    _ make: (ModelInfo) throws(ModelError) -> Decoder
  ) throws(ModelError) -> Decoder {
    if let decoder = attached(Decoder.self) { return decoder }
    let decoder = try make(self)
    attach(decoder)
    return decoder
  }

  /// Attaches a value that decoders use, such as a gallery; it replaces another of its type.
  ///
  /// Decoders that exist do not see it, so it is attached when the model is opened.
  package func attach<Value: Sendable>(_ value: Value) {
    values.withLock { $0[ObjectIdentifier(Value.self)] = value }
  }

  /// Returns the attached value of a type; `nil` if there is none.
  package func attached<Value: Sendable>(_ type: Value.Type) -> Value? {
    values.withLock { $0[ObjectIdentifier(type)] } as? Value
  }
}

extension ModelBundle {
  /// Returns the labels of the classes that the outputs of a description refer to.
  package func classLabels(of description: ModelDescription) throws(ModelError) -> [String] {
    // The output with the boxes of a raw detector head has the labels of its classes.
    let labeled = description.outputs.first { $0.labelsFile != nil && !$0.isLabeledByIndex }
    return try labeled.map { (layer) throws(ModelError) in try labels(for: layer) } ?? []
  }
}

extension ModelBundle {
  /// Returns the calibration of the output with the role `scores`, whose lines belong to the labels of
  /// the output with the role `classes`.
  fileprivate func classCalibration(
    of description: ModelDescription
  ) throws(ModelError) -> ScoreCalibration? {
    let scores = description.outputs.first { $0.role == .scores && $0.labelsFile == nil }
    guard let scores else { return nil }
    return try calibration(
      of: scores, labeledBy: description.outputs.first { $0.role == .classes })
  }
}

extension ModelInfo {
  /// The model's inputs, in order.
  public var inputs: [Layer] { description.inputs }
  /// The model's outputs, in order.
  public var outputs: [Layer] { description.outputs }
  /// The task that the bundle declares.
  public var task: TaskDescription? { bundle.description.task }

  /// Returns the name of the output with a role.
  ///
  /// - Parameter role: The role.
  /// - Returns: The name, with which ``ModelOutput`` returns the value.
  /// - Throws: A ``ModelError`` if no output has the role.
  public func output(_ role: OutputRole) throws(ModelError) -> String {
    if let layer = outputs.first(where: { $0.role == role }) { return layer.name }
    let task = task.map { "the task \($0.type)" } ?? "the result"
    throw ModelError(
      .bundle,
      .unmetRequirement(
        "\(task, as: "task") requires an output with the role \(role.name, as: "role")"),
      file: bundle.path)
  }

  /// The value of a setting of the bundle's task, or its default.
  public subscript<Value>(setting: TaskSetting<Value>) -> Value { setting.value(in: task) }
}
