public import TensorIOBundle
public import TensorIOCore
import TensorIOSystem

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelBundle {
  /// Opens the bundle at a path: a folder, a zip archive with exactly one bundle, or the folder of a chain, whose inputs
  /// and outputs are those of a bundle.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let bundle = try ModelBundle(at: "mobilenet.tiobundle")
  /// print(bundle.name, bundle.description.inputs.map(\.name))
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path of the folder or archive.
  ///   - options: The trusted signers, and the runtimes and tasks that the bundle may name.
  /// - Throws: A ``ModelError`` if the bundle cannot be opened, is invalid or is not trusted.
  public init(
    at path: String, options: OpeningOptions = OpeningOptions()
  ) throws(ModelError) {
    let bundle =
      if Self.isChain(path) {
        try ChainDirectory(at: path, trust: options.trust).bundle(options)
      } else {
        try ModelBundle(
          at: path, trust: options.trust, reader: options.descriptionReader,
          unpacking: options.unpacker)
      }
    self = try options.function.map(bundle.function) ?? bundle
  }

  /// Returns the bundle of a function.
  private func function(named name: String) throws(ModelError) -> ModelBundle {
    let functions = functions
    if let function = functions[name] { return function }
    let names = functions.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
    throw ModelError(
      .bundle,
      .unmetRequirement(
        names.isEmpty
          ? "the bundle has no functions, and no '\(name)'"
          : "the bundle has no function '\(name)'; its functions are \(names)"), file: self.path)
  }

  /// Opens the bundle at a file URL: a folder, or a zip archive with exactly one bundle.
  ///
  /// - Parameters:
  ///   - url: The file URL of the folder or archive.
  ///   - options: The trusted signers, and the runtimes that the bundle may name.
  /// - Throws: A ``ModelError`` if the bundle cannot be opened, is invalid or is not trusted.
  public init(at url: URL, options: OpeningOptions = OpeningOptions()) throws(ModelError) {
    try self.init(at: url.bundlePath, options: options)
  }
}

extension ModelLibrary {
  /// Opens the bundles in a folder, including zip archives with a bundle extension.
  ///
  /// - Parameters:
  ///   - folder: The path of the folder.
  ///   - options: The trusted signers, and the runtimes that bundles may name. Bundles that are
  ///     rejected become ``issues``.
  /// - Throws: A ``ModelError`` if the folder does not exist or contains no bundles.
  public init(
    at folder: String, options: OpeningOptions = OpeningOptions()
  ) throws(ModelError) {
    try self.init(at: [folder], options: options)
  }

  /// Opens the bundles in several folders, including zip archives with a bundle extension.
  ///
  /// - Parameters:
  ///   - folders: The paths of the folders, in search order.
  ///   - options: The trusted signers, and the runtimes that bundles may name. Bundles that are
  ///     rejected become ``issues``.
  /// - Throws: A ``ModelError`` if none of the folders contains a bundle.
  public init(
    at folders: [String], options: OpeningOptions = OpeningOptions()
  ) throws(ModelError) {
    try self.init(at: folders, trust: options.trust, reader: options.descriptionReader)
  }

  /// Returns the path of a bundle that is given as its path, or by its name or `id` in folders; the
  /// argument itself if there is none.
  package static func path(for argument: String, in folders: [String]) -> String {
    guard !argument.contains("/"), FileKind(at: argument) == nil else { return argument }
    if let path = path(ofBundleNamed: argument, in: folders) { return path }
    let library = folders.isEmpty ? nil : try? ModelLibrary(at: folders)
    return (try? library?.bundle(named: argument).path)
      ?? (try? library?.bundle(id: argument).path) ?? argument
  }

  /// Opens the bundles in the folders that the environment variable `TENSORIO_MODELS` lists.
  ///
  /// - Parameter options: The trusted signers, and the runtimes that bundles may name.
  /// - Throws: A ``ModelError`` if the variable is empty or none of the folders contains a bundle.
  public init(options: OpeningOptions = OpeningOptions()) throws(ModelError) {
    let folders = Self.folders(in: Platform.environment(Self.environmentVariable))
    guard !folders.isEmpty else {
      throw ModelError(.bundle, .missingFolder, file: Self.environmentVariable)
    }
    try self.init(at: folders, options: options)
  }
}

extension OpeningOptions {
  /// A reader of descriptions that may name the backends and the tasks of the options.
  package var descriptionReader: DescriptionReader {
    DescriptionReader(
      backends: DescriptionReader.standardBackends.union(runtimes.identifiers),
      tasks: tasks ?? .shared)
  }
}

extension DescriptionReader {
  /// A reader of descriptions that may name the standard backends and tasks.
  package static let standard = DescriptionReader(tasks: .standard)
}

extension URL {
  /// The path of a bundle.
  ///
  /// - Throws: A ``ModelError`` if the URL is not a file URL.
  package var bundlePath: String {
    get throws(ModelError) {
      guard isFileURL else {
        throw ModelError(
          .bundle, .unsupported("opening a bundle from a URL that is not a file URL"),
          file: absoluteString)
      }
      return path
    }
  }
}
