package import TensorIOBundle
package import TensorIOCore

extension RuntimeDescriptor {
  /// ONNX Runtime, which runs `.onnx` files.
  package static let onnxRuntime = RuntimeDescriptor(
    .onnx, displayName: "ONNX Runtime", library: .onnxRuntime,
    isolation: WorkerRequirements(modelAccess: .parentFolder)
  ) { settings in
    ONNXBackend(library: settings.library)
  }
}

extension ONNXBackend: LibraryBackend {}

/// Opening the library also creates the environment, which reads files of the system.
extension ONNXBackend: IsolatableBackend {}

extension ONNXBackend: DraftingBackend {
  /// Loads an `.onnx` file with its metadata.
  package func bareModel(at file: ModelFile) throws(ModelError) -> BareModel {
    let model = try model(at: file)
    var bare = BareModel(model)
    bare.metadata = ModelMetadata(model.metadata)
    bare.labels = Self.labels(model.metadata)
    bare.requiresTensorNames = true
    bare.companionFiles = model.weightFiles
    bare.omittedOutputs = model.omittedOutputs
    return bare
  }

  /// Returns the names of classes: those in the metadata, else those of the only output of class
  /// scores.
  private static func labels(_ metadata: ONNXMetadata) -> EmbeddedLabels? {
    if let names = metadata.entries[namesKey].flatMap(ClassNames.parse) {
      return EmbeddedLabels(names, source: namesKey)
    }
    guard metadata.classNames.count == 1, let output = metadata.classNames.first else { return nil }
    return EmbeddedLabels(output.value, source: output.key)
  }

  /// The key under which Ultralytics stores the names of classes.
  private static let namesKey = "names"
}

extension ModelMetadata {
  /// The metadata of an ONNX file.
  fileprivate init(_ metadata: ONNXMetadata) {
    self.init()
    details = metadata.details.isEmpty ? metadata.entries["description"] ?? "" : metadata.details
    version = metadata.entries["version"] ?? ""
    author = metadata.entries["author"] ?? ""
    license = metadata.entries["license"] ?? ""
    task = metadata.entries["task"]
    keypointShape = metadata.entries["kpt_shape"].map(Self.integers)
    characters = metadata.entries["character"]
    imageSize = metadata.entries["imgsz"].map(Self.integers).flatMap(ImageSize.init)
  }

  /// Returns the integers of a list as Ultralytics writes it: "[17, 3]".
  private static func integers(in text: String) -> [Int] {
    text.split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) }
  }
}
