import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOServer
import TensorIOStudio
import TensorIOSystem

extension LocalStudioHost {
  func downloadModel(
    _ source: String, isReplacing: Bool, reservedNames: Set<String>,
    onProgress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(ClientError) -> DownloadedModel {
    let scratch = try scratchFolder()
    let request = StudioDownload(
      host: self, scratch: scratch, isReplacing: isReplacing, reservedNames: reservedNames,
      onProgress: onProgress, isCancelled: isCancelled)
    do throws(OperationError) {
      return source.contains("://") ? try request.pull(url: source) : try request.pull(name: source)
    } catch {
      scratch.remove()
      throw ClientError(error.withDownloadHint, redacting: scratch.path, hubFolder)
    }
  }

  /// The folder of the downloads; empty if there is none.
  fileprivate var hubFolder: String {
    (try? UserDataFolder.requiredPath(of: ModelPuller.folderName, console)) ?? ""
  }
}

extension OperationError {
  /// The error, with the option that permits what it forbids.
  fileprivate var withDownloadHint: OperationError {
    guard code == AddressPolicy.privateAddressCode else { return self }
    let flag = StudioCommand.allowPrivateDownloads.name
    return OperationError(code, "\(message); --\(flag) permits it", exitCode: exitCode)
  }
}

/// A download for a client of the studio, as `tensorio models pull` makes it.
private struct StudioDownload {
  let host: LocalStudioHost
  /// The folder of a draft.
  let scratch: TemporaryDirectory
  let isReplacing: Bool
  let reservedNames: Set<String>
  let onProgress: @Sendable (_ received: Int, _ total: Int?) -> Void
  let isCancelled: @Sendable () -> Bool

  private var console: Console { host.console }

  private func download(trusting authority: String? = nil) -> Download {
    var download = Download(console: console, isCancelled: isCancelled)
    download.maxBytes = host.maxDownloadBytes
    download.onProgress = onProgress
    if !host.allowsPrivateDownloads { download.addressPolicy = .publicOnly(trusted: authority) }
    return download
  }

  /// Downloads a model of the hub, whose address the operator has chosen, and drafts its bundle.
  func pull(name: String) throws(OperationError) -> DownloadedModel {
    let hub = DownloadURL(HubModel.address(console.environment))
    let folder = try ModelPuller(
      name: HubModel.Name(name), variant: nil, updates: isReplacing, isOffline: false,
      download: download(trusting: hub?.authority), console: console
    ).run()
    if isCancelled() { throw .cancelled }
    return .draft(try draft(folder))
  }

  /// Downloads the file of a URL: imports a zip file, and drafts the bundle of a model.
  func pull(url text: String) throws(OperationError) -> DownloadedModel {
    guard let url = DownloadURL(text) else {
      throw .input("unsupported-url-scheme", "'\(text)' is not an http or https URL")
    }
    let kind = BareModelFile.pathExtension(of: url.fileName)
    var result: DownloadedModel?
    let outcome = try FilePuller(
      url: text, fileName: Self.fileName(of: url, kind), updates: isReplacing, isOffline: false,
      download: download(), console: console
    ).run { (file) throws(OperationError) in
      if isCancelled() { throw .cancelled }
      if kind != nil {
        result = .draft(try draft(file))
        return ""
      }
      let model = try host.importer(
        .archive(file), name: nil, isReplacing: isReplacing, reservedNames: reservedNames
      ).run()
      result = .bundle(ImportedModel(model))
      return model.entry.path
    }
    guard let result, case .downloaded = outcome else {
      throw .input(ModelImporter.modelExistsCode, "the bundle of this URL is already installed")
    }
    return result
  }

  /// Returns the name of a model's file, whose stem names the draft, or that of a zip file.
  private static func fileName(
    of url: DownloadURL, _ kind: String?
  ) throws(OperationError) -> String {
    if let kind {
      let stem = (try? BundleName.validated(FilePath.stem(of: url.fileName))) ?? "download"
      return "\(stem).\(kind)"
    }
    guard case .url(_, let fileName) = try ImportSource(url.text) else { return "download.zip" }
    return fileName
  }

  private func draft(_ path: String) throws(OperationError) -> PendingDraft {
    let (host, scratch) = (host, scratch)
    let draft = try console.suppressingRuntimeMessages { () throws(OperationError) in
      try host.draft(path, in: scratch.path, includingAssets: false)
    }
    return PendingDraft(
      draft,
      importing: { description, name, isReplacing, reservedNames in
        Result { () throws(ClientError) in
          try host.importDraft(
            in: scratch.path, description, name: name, isReplacing: isReplacing,
            reservedNames: reservedNames)
        }
      }, discard: { scratch.remove() })
  }
}

extension DownloadURL {
  /// The last component of the path.
  fileprivate var fileName: String {
    let path = target.prefix { $0 != "?" }
    return path.split(separator: "/").last.map(String.init) ?? ""
  }
}

extension LocalStudioHost {
  /// Imports the draft in a folder, which remains for another attempt.
  fileprivate func importDraft(
    in folder: String, _ description: [UInt8], name: String?, isReplacing: Bool,
    reservedNames: Set<String>
  ) throws(ClientError) -> ImportedModel {
    let bundle = "\(folder)/\(Self.draftName)"
    do throws(OperationError) {
      try write(description, to: "\(bundle)/\(BundleFolder.descriptionName)")
      return ImportedModel(
        try importer(
          .folder(bundle), name: name.map(BundleName.validated), isReplacing: isReplacing,
          reservedNames: reservedNames
        ).run())
    } catch {
      throw ClientError(error, redacting: folder)
    }
  }
}
