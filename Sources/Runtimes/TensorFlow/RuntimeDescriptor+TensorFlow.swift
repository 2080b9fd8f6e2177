package import TensorIOBundle
package import TensorIOCore

extension RuntimeDescriptor {
  /// TensorFlow, which runs and trains SavedModels.
  package static let tensorFlow = RuntimeDescriptor(
    .tensorflow, displayName: "TensorFlow", library: .tensorFlow, isolation: workerRequirements
  ) { settings in
    var backend = TensorFlowBackend(
      library: settings.library, trustingGraphs: settings.trustsGraphs)
    backend.canWriteFiles = settings.canWriteFiles
    return backend
  }

  /// TensorFlow reserves much more address space than it uses.
  private static let workerRequirements = WorkerRequirements(
    baseMemory: 64 << 30, memoryPerModelByte: 0, memoryPerThread: 0)
}

extension TensorFlowBackend: LibraryBackend {}

extension TensorFlowBackend: IsolatableBackend {}

extension TensorFlowBackend: DraftingBackend {
  /// Loads a SavedModel for prediction.
  package func bareModel(at file: ModelFile) throws(ModelError) -> BareModel {
    let model = try model(at: file)
    var bare = BareModel(model)
    bare.trainingSignature = model.signatures.first { $0.name == ModelMode.train.rawValue }
    bare.requiresTensorNames = true
    bare.isFromKeras = true
    return bare
  }
}
