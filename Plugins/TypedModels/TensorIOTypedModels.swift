import Foundation
import PackagePlugin

/// Generates a Swift type for each bundle in the folder of a target.
///
/// `Documentation/TypedModels.md` describes how to use it.
@main
struct TensorIOTypedModels: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
    guard let module = target as? any SourceModuleTarget else { return [] }
    let generator = try context.tool(named: "tensorio-generate").url
    var names: Set<String> = []
    return Self.bundles(in: module.directoryURL).compactMap { bundle in
      let name = bundle.deletingPathExtension().lastPathComponent
      guard names.insert(name).inserted else {
        Diagnostics.error("two bundles in the target \(target.name) are named \(name)")
        return nil
      }
      let output = context.pluginWorkDirectoryURL.appending(path: "\(name).tiobundle.swift")
      let resource = Self.resource(bundle, in: module)
      if resource == nil, Self.isIncluded(bundle, in: module) {
        let path = bundle.path.dropFirst(module.directoryURL.path.count).drop { $0 == "/" }
        Diagnostics.warning(
          "\(path) is not copied into the resources of the target \(target.name), so that its type "
            + "cannot open it without a path; declare it: resources: [.copy(\"\(path)\")]")
      }
      return .buildCommand(
        displayName: "Generating a Swift type for \(bundle.lastPathComponent)",
        executable: generator,
        arguments: (resource.map { ["--resource", $0] } ?? []) + [
          "--output", output.path(percentEncoded: false), bundle.path(percentEncoded: false),
        ],
        inputFiles: Self.inputFiles(of: bundle), outputFiles: [output])
    }
  }

  /// Returns the bundles in a folder and its subfolders, in the order of their paths.
  private static func bundles(in folder: URL) -> [URL] {
    let contents =
      (try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles))
      ?? []
    return contents.sorted { $0.path < $1.path }.flatMap { entry -> [URL] in
      let isFolder = (try? entry.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) ?? false
      guard isFolder else { return [] }
      return entry.pathExtension == "tiobundle" ? [entry] : bundles(in: entry)
    }
  }

  /// Returns the files of a bundle that a type depends on: the description, the card and the assets.
  private static func inputFiles(of bundle: URL) -> [URL] {
    let manager = FileManager.default
    let assets = bundle.appending(path: "assets")
    let names = ((try? manager.contentsOfDirectory(atPath: assets.path)) ?? []).sorted()
    return
      ([bundle.appending(path: "model.json"), bundle.appending(path: "CARD.md")]
      + names.map { assets.appending(path: $0) })
      .filter { manager.fileExists(atPath: $0.path) }
  }

  /// Whether files of a bundle belong to a target: they do unless the manifest excludes them.
  private static func isIncluded(_ bundle: URL, in module: any SourceModuleTarget) -> Bool {
    let folder = bundle.standardizedFileURL.path + "/"
    return module.sourceFiles.contains { $0.url.standardizedFileURL.path.hasPrefix(folder) }
  }

  /// Returns the path of a bundle in the resources of a target; `nil` if the manifest does not copy it.
  private static func resource(_ bundle: URL, in module: any SourceModuleTarget) -> String? {
    let path = bundle.standardizedFileURL.path
    for file in module.sourceFiles where file.type == .resource {
      let resource = file.url.standardizedFileURL
      if resource.path == path { return bundle.lastPathComponent }
      if path.hasPrefix(resource.path + "/") {
        return resource.lastPathComponent + path.dropFirst(resource.path.count)
      }
    }
    return nil
  }
}
