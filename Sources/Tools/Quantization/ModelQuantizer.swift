import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// Makes smaller copies of the model files of a bundle.
final class ModelQuantizer {
  /// A layer.
  struct Layer: Hashable {
    /// The name of the model file.
    let file: String
    /// The name of the layer in the file.
    let name: String
  }

  /// The names of the bundle's model files.
  let files: [String]
  /// The names of files that the copies do not need.
  private(set) var companions: Set<String> = []

  private let bundle: ModelBundle
  private let backend: any WeightStoringBackend
  private let calibration: CalibrationFolder?
  private let interpreter: String
  private var processes: [String: QuantizerProcess] = [:]

  /// Creates a quantizer.
  ///
  /// - Parameters:
  ///   - bundle: The bundle.
  ///   - backend: The runtime of its models.
  ///   - calibration: The data for ranges; `nil` for none.
  ///   - interpreter: The Python interpreter with the packages that quantize.
  /// - Throws: A `ModelError` if a model file is missing.
  init(
    _ bundle: ModelBundle, on backend: any WeightStoringBackend, _ calibration: CalibrationFolder?,
    _ interpreter: String
  ) throws(ModelError) {
    (self.bundle, self.backend, self.calibration) = (bundle, backend, calibration)
    self.interpreter = interpreter
    let bundles = [bundle] + bundle.functions.values
    let modes = bundle.description.modes.map { bundle.description.resolved(for: $0).modelFile }
    files = Set(bundles.map(\.description.modelFile) + modes).subtracting([""]).sorted()
    for name in files {
      let file = try self.file(name)
      let others = try backend.companionFiles(of: file)
      let folder = FilePath.parent(of: name)
      companions.formUnion(others.map { folder == "." || folder.isEmpty ? $0 : "\(folder)/\($0)" })
    }
  }

  /// The size of the bundle's model files and of the files that they refer to.
  var byteCount: Int {
    let paths = (files + companions).compactMap { try? bundle.path(ofFile: $0) }
    return paths.reduce(0) { $0 + (FileStamp($1)?.byteCount ?? 0) }
  }

  /// Returns the layers, from the input to the output.
  func layers() throws(ModelError) -> [Layer] {
    var layers: [Layer] = []
    for name in files {
      layers += try process(for: name).layers.map { Layer(file: name, name: $0) }
    }
    return layers
  }

  /// Whether the weights of float layers can have 8 bits; otherwise a copy with them would be the same again.
  func canCompactFloatLayers() throws(ModelError) -> Bool {
    for name in files where try !process(for: name).canCompactFloatLayers { return false }
    return true
  }

  /// Writes a smaller copy of a model file.
  func write(
    _ name: String, _ recipe: QuantizationRecipe, keepingFloat layers: [Layer], isCompact: Bool,
    to path: String
  ) throws(ModelError) {
    guard recipe.requiresPackages else {
      let file = try file(name)
      let bytes = try backend.copyInHalfPrecision(of: file)
      return try AtomicDirectoryWriter.mapFileErrors(at: path) { () throws(FileError) in
        try AtomicFile.write(bytes, to: path, isDurable: false)
      }
    }
    let kept = layers.filter { $0.file == name }.map(\.name)
    try process(for: name).write(
      recipe, keepingFloat: kept, isCompact: isCompact, to: path)
  }

  private func process(for name: String) throws(ModelError) -> QuantizerProcess {
    if let process = processes[name] { return process }
    let process = try QuantizerProcess(interpreter, opening: file(name).path, calibration)
    processes[name] = process
    return process
  }

  private func file(_ name: String) throws(ModelError) -> ModelFile {
    ModelFile(path: try bundle.path(ofFile: name), name: name)
  }
}
