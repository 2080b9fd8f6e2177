// The members of TensorIO for iOS, as unavailable declarations through which the compiler names the
// new ones. Without them, an expression such as `TIOModelBundle(path: path)` does not type-check, and
// the compiler does not get as far as the new name of the type.
public import TensorIOBundle
public import TensorIOCore
public import TensorIOImage

#if Everything
  public import TensorIOTraining
#endif

extension ModelBundle {
  /// The initializer of TensorIO for iOS.
  @available(*, unavailable, renamed: "init(at:)", message: "it throws instead of returning nil")
  public init?(path: String) { nil }

  /// The method of TensorIO for iOS.
  @available(*, unavailable, message: "use Model(bundle)")
  public func newModel() -> Model? { nil }

  /// The method of TensorIO for iOS.
  @available(*, unavailable, renamed: "path(ofAsset:)")
  public func path(toAsset name: String) -> String { path }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "description")
  public var info: ModelDescription { description }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "id")
  public var identifier: String { id }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "description.isQuantized")
  public var quantized: Bool { description.isQuantized }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "description.type")
  public var type: String { "" }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "description.options")
  public var options: BundleOptions { description.options }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "description.modes")
  public var modes: Set<ModelMode> { description.modes }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "modelFile")
  public var modelFilepath: String? { nil }
}

extension ModelLibrary {
  /// The method of TensorIO for iOS.
  @available(*, unavailable, renamed: "init(at:)", message: "a library is a value, not shared")
  public static func shared() -> ModelLibrary { preconditionFailure() }

  /// The method of TensorIO for iOS.
  @available(*, unavailable, message: "use ModelLibrary(at: path)")
  public func loadModelBundles(atPath path: String) throws {}

  /// The method of TensorIO for iOS.
  @available(*, unavailable, renamed: "bundle(id:)")
  public func bundle(withId id: String) -> ModelBundle? { nil }

  /// The method of TensorIO for iOS.
  @available(*, unavailable, renamed: "bundles(ids:)")
  public func bundles(withIds ids: [String]) -> [ModelBundle] { [] }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "bundles")
  public var modelBundles: [ModelBundle] { bundles }
}

extension Model {
  /// The method of TensorIO for iOS.
  @available(*, unavailable, renamed: "init(at:)", message: "it throws")
  public static func withBundleAtPath(_ path: String) -> Model? { nil }

  /// The initializer of TensorIO for iOS.
  @available(*, unavailable, renamed: "init(_:)", message: "it throws instead of returning nil")
  public init?(bundle: ModelBundle) { nil }

  /// The initializer of TensorIO for iOS.
  @available(*, unavailable, renamed: "init(at:)", message: "it throws")
  public init?(bundleAtPath path: String) { nil }

  /// The method of TensorIO for iOS.
  @available(*, unavailable, message: "an open model is loaded")
  public func load() throws {}

  /// The method of TensorIO for iOS.
  @available(*, unavailable, message: "a model is freed with its last copy")
  public func unload() {}

  /// The property of TensorIO for iOS.
  @available(*, unavailable, message: "an open model is loaded")
  public var loaded: Bool { true }

  /// The method of TensorIO for iOS.
  @available(*, unavailable, renamed: "run(_:)")
  public func run(on input: Any) -> Any { input }

  /// The method of TensorIO for iOS.
  @available(*, unavailable, renamed: "run(_:)", message: "it throws")
  public func run<Failure>(on input: Any, error: inout Failure) -> Any { input }

  /// The method of TensorIO for iOS.
  @available(*, unavailable, renamed: "inputs")
  public func descriptionOfInput(at index: Int) -> Layer { inputs[index] }

  /// The method of TensorIO for iOS.
  @available(*, unavailable, message: "use inputs[name]")
  public func descriptionOfInput(withName name: String) -> Layer { inputs[0] }

  /// The method of TensorIO for iOS.
  @available(*, unavailable, renamed: "outputs")
  public func descriptionOfOutput(at index: Int) -> Layer { outputs[index] }

  /// The method of TensorIO for iOS.
  @available(*, unavailable, message: "use outputs[name]")
  public func descriptionOfOutput(withName name: String) -> Layer { outputs[0] }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "bundle.id")
  public var identifier: String { bundle.id }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "bundle.name")
  public var name: String { bundle.name }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "bundle.description.options")
  public var options: BundleOptions { bundle.description.options }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "bundle.description.modes")
  public var modes: Set<ModelMode> { bundle.description.modes }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, message: "use inputs, outputs and placeholders")
  public var io: ModelDescription { bundle.description }
}

extension Layer {
  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "shape.hasDynamicBatch")
  public var isBatched: Bool { shape.hasDynamicBatch }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, message: "compare elementType with .uint8")
  public var isQuantized: Bool { elementType == .uint8 }
}

extension NumericLayer {
  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "shape.hasDynamicBatch")
  public var isBatched: Bool { shape.hasDynamicBatch }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, message: "compare elementType with .uint8")
  public var isQuantized: Bool { elementType == .uint8 }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "elementType")
  public var dtype: ElementType? { elementType }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "shape.elementCount")
  public var length: Int { 0 }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, message: "use ModelBundle.labels(for:)")
  public var labels: [String]? { nil }
}

extension ImageLayer {
  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "shape.hasDynamicBatch")
  public var isBatched: Bool { shape.hasDynamicBatch }

  /// The property of TensorIO for iOS.
  @available(*, unavailable, renamed: "format")
  public var pixelFormat: PixelFormat { format }
}

extension ImageBuffer {
  /// The initializer of TensorIO for iOS.
  @available(
    *, unavailable, renamed: "init(width:height:format:pixels:)",
    message: "copy the rows of the pixel buffer, and set orientation"
  )
  public init(pixelBuffer: Any, orientation: ImageOrientation) { preconditionFailure() }
}

#if Everything
  extension TrainableModel {
    /// The method of TensorIO for iOS.
    @available(*, unavailable, renamed: "train(_:)", message: "it throws")
    public func train<Failure>(_ batch: Batch, error: inout Failure) -> Any { batch }

    /// The method of TensorIO for iOS.
    @available(
      *, unavailable, renamed: "saveCheckpoint(to:)", message: "or export(to:) for a bundle"
    )
    public func export<Failure>(to folder: Any, error: inout Failure) -> Bool { false }
  }
#endif
