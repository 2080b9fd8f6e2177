internal import TensorIOSystem

extension ModelBundle {
  /// The file or folder with the weights, which must be there.
  ///
  /// A placeholder bundle has none; asking for it is an error.
  public var modelFile: ModelFile {
    get throws(ModelError) { try modelFile(for: description.firstMode) }
  }

  /// The file or folder that the model of a mode is loaded from, which must be there.
  public func modelFile(for mode: ModelMode) throws(ModelError) -> ModelFile {
    guard !isPlaceholder || !description.modelFile.isEmpty else {
      throw ModelError(.bundle, .unsupported("a placeholder has no model file"), file: path)
    }
    let name = description.inMode(mode).modelFile
    var file = ModelFile(path: try folder.locate(name), name: name)
    file.listed = folder.listed(file.path)
    return file
  }

  /// The runtime that runs the model.
  ///
  /// It is the one that the description names: by one of the original library's classes, which
  /// counted most, or as the backend. Where it names none, a folder with a SavedModel is for
  /// TensorFlow and everything else for TensorFlow Lite.
  public var backend: BackendIdentifier {
    description.className.flatMap(BackendIdentifier.init(legacyClass:)) ?? description.backend
      ?? (holdsSavedModel ? .tensorflow : .tflite)
  }

  private var holdsSavedModel: Bool {
    let name = description.modelFile + "/saved_model.pb"
    return (try? folder.locate(name)).flatMap { FileKind(at: $0) } == .file
  }

  /// Where a file of the bundle lies, which must be there.
  public func file(named name: String) throws(ModelError) -> String {
    try folder.locate(name)
  }

  /// Where a file of the bundle's `assets` lies, which must be there.
  public func asset(named name: String) throws(ModelError) -> String {
    guard BundlePath.fault(of: name) == nil else {
      throw ModelError(.bundle, .unsafeName(name), file: path)
    }
    return try folder.locate(BundleFolder.assetsName + "/" + name)
  }

  /// The names of a layer's values, in order; none for a layer without labels.
  ///
  /// Where the file has lines before the first value's label, those are left out; where the first
  /// values have no label, they are named by their index.
  public func labels(for layer: Layer) throws(ModelError) -> [String] {
    guard let name = layer.labels else { return [] }
    do throws(ModelError) {
      let labels = try folder.labels(named: name)
      let offset = layer.labelOffset
      guard offset < 0 else { return Array(labels.dropFirst(offset)) }
      return (0..<(-offset)).map(String.init) + labels
    } catch {
      throw error.at(layer: layer.name)
    }
  }
}

extension ModelBundle {
  /// The names of the values of all outputs of a description, where labels name them by place.
  func labels(of description: ModelDescription) throws(ModelError) -> [[String]] {
    try description.outputs.map { (layer) throws(ModelError) in
      layer.isLabelledByPlace ? try labels(for: layer) : []
    }
  }
}

extension Layer {
  /// The file in `assets` that names the layer's values, where there is one.
  public var labels: String? {
    switch kind {
    case .array(let layer), .scalar(let layer): layer.labels
    case .image, .string: nil
    }
  }

  /// How many lines below its own index the label of a value stands.
  public var labelOffset: Int {
    switch kind {
    case .array(let layer), .scalar(let layer): layer.labelOffset
    case .image, .string: 0
    }
  }
}

extension BundleFolder {
  /// The labels of a file in `assets`.
  func labels(named name: String) throws(ModelError) -> [String] {
    let file = BundleFolder.assetsName + "/" + name
    let bytes = try bytes(of: file, limit: Labels.maximumBytes)
    do throws(Labels.Fault) {
      return try Labels.read(bytes)
    } catch {
      throw ModelError(.bundle, .unreadableFile(file, problem: error.problem), file: path)
    }
  }
}
