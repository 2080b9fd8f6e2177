import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOLibrary
import TensorIOTasks

/// A model that C code owns.
@safe final class ModelHandle: Sendable {
  let model: Model
  let postprocessor: TaskPostprocessor
  /// The gallery that gives names to the results; `nil` for none.
  let gallery: LiveGallery?
  let description: CString
  /// Runs the model between the caller's memory; `nil` if it needs more than that.
  let memoryRunner: MemoryRunner?

  convenience init(_ path: String, _ options: ModelOptions) throws(ModelError) {
    let opening = options.opening
    try self.init(
      Model(at: UserLibrary.path(for: path), options: opening), gallery: options.gallery)
  }

  init(
    _ model: Model, gallery path: String? = nil
  ) throws(ModelError) {
    self.model = model
    gallery = try path.map { (path) throws(ModelError) in
      try ModelError.rethrowing(.bundle) { () throws(OperationError) in
        try LiveGallery(path, for: model, createIfMissing: true)
      }
    }
    gallery?.attach(to: model)
    postprocessor = try TaskPostprocessor(model)
    memoryRunner = MemoryRunner(model)
    description = CString(Self.description(model, model.bundle.guesses))
  }

  /// Runs the model on rows of floats, whose sizes the caller has checked.
  func run(
    _ input: UnsafePointer<Float>, _ inputCount: Int, into output: UnsafeMutablePointer<Float>,
    _ outputCount: Int, rows count: Int
  ) throws(ModelError) {
    if let runner = memoryRunner, runner.takesFloats(inputCount, outputCount) {
      return try unsafe runner.run(input, output, count)
    }
    let numbers = unsafe UnsafeBufferPointer(start: input, count: inputCount * count)
    let results = unsafe UnsafeMutableBufferPointer(start: output, count: outputCount * count)
    var span = unsafe results.mutableSpan
    try unsafe model.run(rows: numbers.span, into: &span, count: count)
  }

  /// Returns the description of a model as JSON.
  private static func description(_ model: Model, _ guesses: [String]) -> String {
    let bundle = model.bundle
    let (inputs, outputs) = (model.inputTensors, model.outputTensors)
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("path", bundle.path)
      writer.member("id", bundle.id)
      writer.member("name", bundle.name)
      writer.member("version", bundle.version)
      writer.member("details", bundle.details)
      writer.member("author", bundle.author)
      writer.member("license", bundle.license)
      writer.member("backend", bundle.backend.rawValue)
      writer.memberOrNull("task", bundle.description.task?.type ?? bundle.description.type) {
        $0.value($1)
      }
      for (name, layers, tensors) in [
        ("inputs", model.callerInputs, inputs), ("placeholders", model.placeholders, inputs),
        ("outputs", model.runOutputs, outputs),
      ] {
        writer.member(
          name,
          array: { writer in
            for layer in layers {
              let type = tensors.first { $0.name == layer.name }?.valueType
              writer.object { write(layer, bundle, type, to: &$0) }
            }
          })
      }
      writer.strings("functions", model.functions.keys.sorted())
      write(resultOf: model, to: &writer)
      writer.member("has_state", model.carriesState)
      writer.member("supports_batching", model.supportsBatching)
      writer.member("takes_rows", model.takesRows)
      writer.strings("warnings", model.warnings.filter { !$0.isNonstandard }.map { "\($0)" })
      writer.strings("guesses", guesses)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Writes the name and the types of the task's result, and the outputs that it replaces; `null` for a model whose outputs
  /// are the result.
  private static func write(resultOf model: Model, to writer: inout JSONWriter) {
    let kind = TaskRegistry.shared.format(for: model.description)?.task
    let task = model.bundle.description.task == nil ? nil : try? kind?.init(model)
    guard let task else {
      writer.key("result")
      return writer.null()
    }
    let column = task.resultColumn
    writer.member("result") { writer in
      writer.member("name", column?.name ?? type(of: task).resultName)
      writer.key("type")
      if let column { column.column.writeType(to: &writer) } else { writer.null() }
      writer.strings("replaces", task.replacedOutputs.sorted())
    }
  }

  static func write(
    _ layer: Layer, _ bundle: ModelBundle, _ valueType: ElementType? = nil,
    to writer: inout JSONWriter
  ) {
    writer.layerMembers(of: layer, valueType: valueType)
    if case .image(let image) = layer.kind { writer.member("format", image.format.rawValue) }
    if case .audio(let audio) = layer.kind { writer.member("rate", audio.sampleRate) }
    if let role = layer.role { writer.member("role", role.name) }
    if case .array(let numeric) = layer.kind, !numeric.featureNames.isEmpty {
      writer.strings("features", numeric.featureNames)
    }
    if let labels = try? bundle.labels(for: layer), !labels.isEmpty {
      writer.strings("labels", labels)
    }
  }
}

extension TensorDeclaration {
  /// The type of the elements that a caller passes or receives; `nil` for values that are no tensors.
  fileprivate var valueType: ElementType? {
    switch (content, layer.kind) {
    case (.strings, _): .string
    case (.numbers(let type), .array), (.numbers(let type), .scalar): type
    case (.numbers, _), (.text, _), (.memory, _): nil
    }
  }
}
