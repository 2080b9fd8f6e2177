package import TensorIOBundle
package import TensorIOCore
import TensorIOData
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// A chain that reads text, drafted from a folder with a detector and a reader of lines, or from a Python package with them.
///
/// The parts are recognized by their tasks, whatever their files are called.
package struct ReadingChainDraft: Sendable {
  /// A model of the chain.
  package struct Part: Sendable {
    /// The name of its step.
    package let name: String
    /// The draft of its bundle.
    package let draft: BundleDraft
  }

  /// The models, in the order of their steps.
  package let parts: [Part]
  /// The name of the file or folder, without its extension.
  package let fileStem: String
  private let name: String
  /// The unpacked models of a package, which are removed with the draft.
  private let folder: TemporaryDirectory?

  /// The number of lines that are read at once, as by RapidOCR.
  private static let batch = 6
  /// The score from which a line is upside down.
  private static let turnScore = 0.9
  /// The largest model of a package.
  private static let maxModelBytes = 256 << 20
  private static let modelExtension = "onnx"

  /// Drafts a chain; `nil` for a path that is neither a folder with several models nor a package.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - name: The name of the chain.
  ///   - runtimes: The runtimes.
  /// - Throws: An ``OperationError`` if a model cannot be read, or the models do not form a chain.
  package init?(
    at path: String, name: String?, on runtimes: [ConfiguredRuntime]
  ) throws(OperationError) {
    guard let found = try Self.models(at: path), found.files.count > 1 else { return nil }
    folder = found.folder
    fileStem = found.stem
    self.name = name ?? "Text"
    var detectors: [Part] = []
    var classifiers: [Part] = []
    var readers: [Part] = []
    for file in found.files {
      var sources = try DraftSources(
        model: file, labels: nil, exportMetadata: nil, name: nil, on: runtimes)
      found.package?.describe(&sources.metadata)
      let draft = BundleDraft(from: sources)
      let forms = draft.description.resultForms
      if forms.contains(.lines) {
        detectors.append(Part(name: "detector", draft: draft))
      } else if forms.contains(.line) {
        readers.append(Part(name: "recognizer", draft: draft))
      } else if draft.labels?.allSatisfy({ Int($0).map { $0.isMultiple(of: 90) } ?? false })
        ?? false
      {
        classifiers.append(Part(name: "orientation", draft: draft))
      }
    }
    guard detectors.count == 1, readers.count == 1, classifiers.count <= 1 else {
      throw OperationError(
        "no-chain",
        "\(path): a chain that reads text needs a detector of text and a reader of lines; found "
          + "\(detectors.count) detectors and \(readers.count) readers among \(found.files.count) models",
        exitCode: .invalidBundle)
    }
    parts = detectors + classifiers + readers
  }

  /// Returns the models at a path; `nil` for a bundle, a model alone, and folders of other kinds.
  private static func models(
    at path: String
  ) throws(OperationError) -> (
    files: [String], stem: String, package: PackageInfo?, folder: TemporaryDirectory?
  )? {
    if FilePath.pathExtension(of: path) == "whl" { return try unpack(path) }
    guard FileKind(at: path) == .directory,
      FileKind(at: path + "/" + BundleFolder.descriptionName) == nil,
      let names = try? FileSystem.entryNames(in: path), !names.contains("config.json")
    else { return nil }
    let folder = FilePath.removingTrailingSlashes(path)
    let files = names.filter { FilePath.pathExtension(of: $0) == modelExtension }.sortedByBytes
      .map { "\(folder)/\($0)" }
    return (
      files.isEmpty ? modelsInFolders(names.sortedByBytes.map { "\(folder)/\($0)" }) : files,
      FilePath.lastComponent(of: folder),
      PackageInfo(ofModelsIn: FilePath.resolved(folder) ?? folder), nil
    )
  }

  /// Returns the model of each folder that PaddleOCR has exported one to.
  private static func modelsInFolders(_ folders: [String]) -> [String] {
    folders.filter { FileKind(at: "\($0)/\(PaddleSettings.fileName)") == .file }.flatMap { folder in
      ((try? FileSystem.entryNames(in: folder)) ?? [])
        .filter { FilePath.pathExtension(of: $0) == modelExtension }.map { "\(folder)/\($0)" }
    }
  }

  /// Unpacks the models of a package.
  private static func unpack(
    _ path: String
  ) throws(OperationError) -> (
    files: [String], stem: String, package: PackageInfo?, folder: TemporaryDirectory?
  ) {
    do {
      let archive = try ZipArchive(at: path)
      let folder = try TemporaryDirectory(prefix: "tensorio-package")
      var files: [String] = []
      var info: PackageInfo?
      for entry in archive.entries where !entry.isFolder {
        let name = entry.name.text
        if FilePath.pathExtension(of: name) == modelExtension {
          let file = "\(folder.path)/\(FilePath.lastComponent(of: name))"
          try AtomicFile.write(try archive.contents(of: entry, limit: maxModelBytes), to: file)
          files.append(file)
        } else if name.hasSuffix(".dist-info/METADATA") {
          info = PackageInfo(try archive.contents(of: entry, limit: PackageInfo.maxBytes))
        }
      }
      return (files.sortedByBytes, info?.name ?? FilePath.stem(of: path), info, folder)
    } catch let error as ArchiveError {
      throw OperationError("unreadable-package", "\(path): \(error)", exitCode: .invalidBundle)
    } catch let error as FileError {
      throw OperationError(
        "unreadable-package", "\(path): \(error.message)", exitCode: .invalidBundle)
    } catch {
      throw OperationError(error)
    }
  }

  /// The description of the chain.
  private var chain: ChainDescription {
    var steps: [ChainStep] = []
    var lines = ChainSource.step("lines", output: nil)
    for part in parts {
      guard let input = part.draft.description.inputs.first?.name else { continue }
      let bundle = part.name + ".tiobundle"
      switch part.name {
      case "detector":
        steps.append(ChainStep(name: part.name, .bundle(bundle, inputs: [input: .input("image")])))
        steps.append(
          ChainStep(name: "lines", .crop(LineCrop(image: .input("image"), lines: part.name))))
      default:
        steps.append(
          ChainStep(name: part.name, .bundle(bundle, inputs: [input: lines]), batch: Self.batch))
        guard part.name == "orientation" else { continue }
        steps.append(
          ChainStep(
            name: "upright",
            .turn(
              OrientationTurn(image: lines, classes: part.name, minimumScore: Self.turnScore))))
        lines = .step("upright", output: nil)
      }
    }
    var chain = ChainDescription(name: name, id: fileStem, inputs: ["image"], steps: steps)
    chain.details = "Reads the lines of text in an image."
    return chain
  }

  /// Writes the chain with its bundles atomically.
  package func write(to path: String, overwriting: Bool) throws(ArchiveError) {
    try Staging.directory(at: path, overwriting: overwriting, mapError: ArchiveError.init) {
      (staging) throws(ArchiveError) in
      for part in parts {
        try part.draft.write(to: "\(staging)/\(part.name).tiobundle", overwriting: false)
      }
      do throws(FileError) {
        try AtomicFile.write(chain.json, to: "\(staging)/\(ChainDescription.fileName)")
      } catch {
        throw ArchiveError(.writeFailed(path, detail: error.message))
      }
    }
  }
}

/// The origin and the license of the models of a Python package.
private struct PackageInfo: Sendable {
  /// The name of the package.
  private(set) var name: String?
  private var version: String?
  private var license: String?
  private var address: String?

  static let maxBytes = 1 << 20

  /// Reads the headers of a package's `METADATA`.
  init(_ bytes: [UInt8]) {
    for line in String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      // The description follows an empty line.
      guard let colon = line.firstIndex(of: ":") else { break }
      let value = String(line[line.index(after: colon)...].drop { $0 == " " })
      switch line[..<colon].lowercased() {
      case "name": name = value
      case "version": version = value
      case "license", "license-expression": license = value
      case "home-page": address = value
      default: continue
      }
    }
  }

  /// Reads what is installed beside the package that has a folder with models; `nil` for other folders.
  init?(ofModelsIn folder: String) {
    let package = FilePath.parent(of: folder)
    let site = FilePath.parent(of: package)
    let prefix = FilePath.lastComponent(of: package) + "-"
    let info = (try? FileSystem.entryNames(in: site))?.first {
      $0.hasPrefix(prefix) && $0.hasSuffix(".dist-info")
    }
    guard let info,
      let bytes = try? FileBytes.read(
        "\(site)/\(info)/METADATA", limit: Self.maxBytes, stage: .bundle)
    else { return nil }
    self.init(bytes)
  }

  /// Adds the origin of a model to its metadata.
  func describe(_ metadata: inout ModelMetadata?) {
    var described = metadata ?? ModelMetadata()
    let origin = [name.map { "the Python package \($0)" }, version].compactMap(\.self)
      .joined(separator: " ")
    if described.author.isEmpty {
      described.author = [origin, address].compactMap(\.self).joined(separator: ", ")
    }
    if described.license.isEmpty { described.license = license ?? "" }
    if described.version.isEmpty { described.version = version ?? "" }
    metadata = described
  }
}
