import TensorIOBundle
import TensorIOCore
import TensorIODrafting
import TensorIOLibrary
import TensorIORuntimes
import TensorIOServer
import TensorIOStudio
import TensorIOSystem

extension LocalStudioHost {
  func draftBundle(
    of model: [UInt8], named fileName: String
  ) throws(ClientError) -> DraftedBundle {
    let scratch = try scratchFolder()
    defer { scratch.remove() }
    do throws(OperationError) {
      guard let pathExtension = BareModelFile.pathExtension(of: fileName) else {
        throw .input("unknown-format", "the file is not a .tflite or .onnx model")
      }
      // The stem names the model, unless it is not a valid name of a bundle.
      let stem = (try? BundleName.validated(FilePath.stem(of: fileName))) ?? "model"
      let path = "\(scratch.path)/\(stem).\(pathExtension)"
      try write(model, to: path)
      return try console.suppressingRuntimeMessages { () throws(OperationError) in
        try draft(path, in: scratch.path, includingAssets: true)
      }
    } catch {
      throw ClientError(error, redacting: scratch.path)
    }
  }

  /// The name of the drafted bundle in its folder.
  static let draftName = "draft.tiobundle"

  /// Drafts a bundle in a folder.
  func draft(
    _ path: String, in folder: String, includingAssets: Bool
  ) throws(OperationError) -> DraftedBundle {
    let sources = try DraftSources(
      model: path, labels: nil, exportMetadata: nil, name: nil, on: opener.draftingRuntimes)
    let draft = BundleDraft(from: sources)
    try InitCommand.check(draft, against: sources.signature, of: FilePath.lastComponent(of: path))
    let bundle = "\(folder)/\(Self.draftName)"
    do throws(ArchiveError) {
      try draft.write(to: bundle, overwriting: false)
    } catch {
      throw OperationError(error, path)
    }
    let guesses = draft.draftedValues.compactMap { value in
      value.reviewReason.map {
        DraftedBundle.Guess(path: value.path, value: value.value, reason: $0)
      }
    }
    let failure = sources.runtime.flatMap { InitCommand.failureOfTrialRun(of: bundle, on: $0) }
    return DraftedBundle(
      description: draft.description.json, modelFile: draft.description.modelFile,
      assets: includingAssets ? assets(of: bundle) : [], guesses: guesses,
      failure: failure?.replacing(folder + "/", with: ""))
  }

  private func assets(of bundle: String) -> [(name: String, bytes: [UInt8])] {
    let folder = "\(bundle)/\(BundleFolder.assetsName)"
    let names = (try? FileSystem.entryNames(in: folder)) ?? []
    return names.compactMap { name in
      let bytes = try? FileBytes.contents(of: "\(folder)/\(name)", limit: Self.maxAssetBytes)
      return bytes.map { (name, $0) }
    }
  }

  private static let maxAssetBytes = 64 << 20
}

extension ModelOpener {
  /// The runtimes that read models without a description.
  fileprivate var draftingRuntimes: [ConfiguredRuntime] {
    BuiltInRuntimes.all.map { runtime in
      ConfiguredRuntime(runtime, RuntimeSettings(library: options.libraries[runtime.identifier]))
    }
  }
}
