package import TensorIOBundle
package import TensorIOCore
import TensorIOSystem

/// Opens models without a description, and folders of model hubs, by drafting a bundle in a temporary folder.
///
/// The bundle links to the files of the model, which are not copied.
package struct BareModelDrafter: BundleUnpacker {
  private let runtimes: [ConfiguredRuntime]

  /// Creates a drafter that loads models in runtimes.
  package init(_ runtimes: [ConfiguredRuntime]) { self.runtimes = runtimes }

  /// Drafts a bundle for a bare model, unpacks an archive, or returns `nil` for the folder of a bundle.
  package func unpack(_ path: String) throws(ModelError) -> UnpackedBundle? {
    guard try isBareModel(path) else { return try ZipBundleUnpacker().unpack(path) }
    do {
      let sources = try DraftSources(
        model: path, labels: nil, exportMetadata: nil, name: nil, on: runtimes)
      let draft = BundleDraft(from: sources)
      let folder = try TemporaryDirectory(prefix: "tensorio-draft")
      let unpacked = UnpackedBundle(
        path: "\(folder.path)/\(sources.fileStem).tiobundle",
        linkedFolders: draft.linkedFolders,
        notes: draft.draftedValues.compactMap(\.review)
      ) { folder.remove() }
      try draft.write(to: unpacked.path, overwriting: false, linking: true)
      return unpacked
    } catch let error as OperationError {
      throw error.modelError
        ?? ModelError(
          error.exitCode == .runtimeUnavailable ? .runtime : .bundle, .failed(.init(error.message)))
    } catch let error as ArchiveError {
      throw ModelError(.bundle, .failed("\(path, as: "model"): \(error)"))
    } catch {
      throw ModelError(
        .bundle, .failed("\(path, as: "model"): cannot describe this model: \(error)"))
    }
  }

  /// Returns whether a path is that of a model without a description.
  private func isBareModel(_ path: String) throws(ModelError) -> Bool {
    let isModel = runtimes.contains { $0.descriptor.format.matches(modelAt: path) }
    switch FileKind(at: path) {
    case .file: return isModel
    case .directory:
      guard FileKind(at: path + "/" + BundleFolder.descriptionName) == nil else { return false }
      if isModel { return true }
      return try HubFolder(at: path) != nil
        || HubFolder.onlyModel(in: path) { file in
          runtimes.contains { $0.descriptor.format.matches(modelAt: file) }
        } != nil
    default: return false
    }
  }
}
