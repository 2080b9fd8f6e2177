public import TensorIOBundle
public import TensorIOCore
import TensorIOTasks

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A model whose inputs and outputs have types, which `tensorio swift` makes from a bundle.
///
/// [Typed models](<doc:TypedModels-article>) describes the generated code. Generic code can use any typed model:
///
/// ```swift
/// import TensorIO
///
/// func outputs<Typed: TypedModel>(
///   _ type: Typed.Type, _ path: String, _ inputs: [Typed.Input]
/// ) throws -> [Typed.Output] {
///   try Typed(at: path).run(batch: inputs)
/// }
/// ```
public protocol TypedModel: Sendable {
  /// The values of all inputs.
  associatedtype Input: ModelInputConvertible & Sendable
  /// The values of all outputs.
  associatedtype Output: TypedModelOutput

  /// The inputs, outputs and labels that the type was generated for.
  static var interface: ModelInterface { get }

  /// The name of the function of the bundle that the type was generated for; `nil` for the bundle's model.
  static var function: String? { get }

  /// The model.
  var model: Model { get }

  /// Creates a typed model from an open model.
  ///
  /// - Throws: A ``ModelError`` if the bundle does not have the interface of the type.
  init(_ model: Model) throws(ModelError)
}

/// The outputs of a ``TypedModel``.
public protocol TypedModelOutput: Sendable {
  /// The outputs without types.
  var modelOutput: ModelOutput { get }

  /// Reads the outputs of a run.
  ///
  /// - Throws: A ``ModelError`` of the stage `output` if an output has another type.
  init(_ modelOutput: ModelOutput) throws(ModelError)
}

extension TypedModel {
  /// No function.
  public static var function: String? { nil }

  /// Creates a typed model from the function of an open model.
  ///
  /// - Parameter model: A model of the bundle.
  /// - Throws: A ``ModelError`` whose reason is ``ModelError/interfaceChanged`` if the bundle does not have the function, or
  ///   the function not the interface of the type.
  public init(functionOf model: Model) throws(ModelError) {
    let name = Self.function ?? ""
    guard let function = model.functions[name] else {
      throw ModelError(
        .bundle, .interfaceChanged(["the function '\(name)' is missing"]), file: model.bundle.path)
    }
    try self.init(function)
  }

  /// Opens the bundle or the chain at a path.
  ///
  /// - Parameters:
  ///   - path: A path or name as in ``Model/init(at:options:)-(String,_)``.
  ///   - options: The trusted signers, the runtimes, the threads and sessions, and how images are
  ///     prepared.
  /// - Throws: A ``ModelError`` whose reason is ``ModelError/interfaceChanged`` if the bundle
  ///   does not have the interface of the type, or any error of
  ///   ``Model/init(at:options:)-(String,_)``.
  public init(
    at path: String, options: OpeningOptions = OpeningOptions()
  ) throws(ModelError) {
    var options = options
    options.function = options.function ?? Self.function
    // The interface is compared before the runtime is loaded, because its error is clearer.
    let model = try Model(at: path, options: options) { (bundle) throws(ModelError) in
      try Self.interface.validate(bundle, mode: options.mode)
    }
    try self.init(model)
  }

  /// Opens the bundle or the chain at a file URL.
  ///
  /// - Parameters:
  ///   - url: The file URL of a bundle's folder or zip archive, or of a chain's folder.
  ///   - options: The trusted signers, the runtimes, the threads and sessions, and how images are
  ///     prepared.
  /// - Throws: The errors of ``init(at:options:)-(String,_)``.
  public init(
    at url: URL, options: OpeningOptions = OpeningOptions()
  ) throws(ModelError) {
    try self.init(at: url.bundlePath, options: options)
  }
}

extension Model {
  /// Returns the model if its bundle has an interface.
  ///
  /// - Parameter interface: The interface.
  /// - Returns: This model.
  /// - Throws: ``ModelError/interfaceChanged`` with the differences.
  public func validated(for interface: ModelInterface) throws(ModelError) -> Model {
    try interface.validate(bundle, mode: mode)
    return self
  }
}

extension TypedModel {
  /// Runs the model on the calling thread.
  ///
  /// - Parameters:
  ///   - input: The values of all inputs.
  ///   - placeholders: Values by placeholder name. All others keep the default of the bundle.
  /// - Returns: The outputs.
  /// - Throws: A ``ModelError`` if a value does not fit its input or the run fails.
  public func run(
    _ input: Input, placeholders: Placeholders = [:]
  ) throws(ModelError) -> Output {
    try Output(model.run(input, placeholders: placeholders))
  }

  /// Runs the model on a background thread and suspends until its outputs are available.
  ///
  /// - Parameters:
  ///   - input: The values of all inputs.
  ///   - placeholders: Values by placeholder name. All others keep the default of the bundle.
  /// - Returns: The outputs.
  /// - Throws: ``ModelError/cancelled`` if the task is canceled, and the errors of
  ///   ``run(_:placeholders:)``.
  public func submit(
    _ input: Input, placeholders: Placeholders = [:]
  ) async throws(ModelError) -> Output {
    try Output(await model.submit(input, placeholders: placeholders))
  }

  /// Runs the model on several items and returns one output per item, in order.
  ///
  /// - Parameters:
  ///   - items: The values of all inputs for each item.
  ///   - placeholders: Values by placeholder name, for all items.
  /// - Returns: One output per item.
  /// - Throws: The ``ModelError`` of the first item that fails; ``ModelError/item`` is its index.
  public func run(
    batch items: [Input], placeholders: Placeholders = [:]
  ) throws(ModelError) -> [Output] {
    try Self.outputs(model.run(batch: items, placeholders: placeholders))
  }

  /// Runs the model on several items on a background thread and suspends until all outputs are
  /// available.
  ///
  /// - Parameters:
  ///   - items: The values of all inputs for each item.
  ///   - placeholders: Values by placeholder name, for all items.
  /// - Returns: One output per item.
  /// - Throws: ``ModelError/cancelled`` if the task is canceled, otherwise the
  ///   ``ModelError`` of the first item that fails.
  public func submit(
    batch items: [Input], placeholders: Placeholders = [:]
  ) async throws(ModelError) -> [Output] {
    try Self.outputs(await model.submit(batch: items, placeholders: placeholders))
  }

  private static func outputs(_ outputs: [ModelOutput]) throws(ModelError) -> [Output] {
    var typed: [Output] = []
    for (index, output) in outputs.enumerated() {
      do throws(ModelError) {
        typed.append(try Output(output))
      } catch {
        throw error.at(item: index)
      }
    }
    return typed
  }

  /// Returns a stream, which carries the model's state from run to run.
  public func stream() -> TypedModelStream<Self> { TypedModelStream(modelStream: model.stream()) }
}
