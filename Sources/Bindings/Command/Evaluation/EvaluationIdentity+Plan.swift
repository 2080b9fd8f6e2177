import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOLibrary
import TensorIOSystem

/// The digests of the files of a dataset.
struct DatasetDigest {
  /// The digest of the names and contents of all files, as hexadecimal digits.
  let text: String
  /// The names of items whose images have the same bytes.
  let duplicates: [[String]]

  /// Reads the files of a plan's data, and its images elsewhere.
  init(of plan: EvaluationPlan) {
    let folder = FilePath.removingTrailingSlashes(plan.data.path)
    var paths = Self.files(at: folder)
    let known = Set(paths)
    let items = (0..<plan.count).map { (name: plan.name(at: $0), path: plan.imagePath(at: $0)) }
    var others: Set<String> = []
    for case let path? in items.map(\.path) where !known.contains(path) {
      if others.insert(path).inserted { paths.append(path) }
    }
    let files = paths
    var digests: [String: [UInt8]] = [:]
    var digest = SHA256()
    OrderedParallelMap.run(files.count, threads: ThreadCount.defaultCount) {
      (try? SHA256.digest(ofFile: files[$0]).digest) ?? []
    } deliver: { (index, found) -> OrderedParallelMap.Decision in
      digests[files[index]] = found
      let name = files[index].hasPrefix(folder) ? files[index].dropFirst(folder.count) : "image"
      digest.update(Array("\(name)\n".utf8) + found)
      return .proceed
    }
    text = digest.finalize().hexadecimal
    let groups = Dictionary(grouping: items.filter { $0.path != nil }) { digests[$0.path ?? ""] }
    duplicates = groups.filter { $0.key?.isEmpty == false && $0.value.count > 1 }
      .map { $0.value.map(\.name) }.filter { Set($0).count > 1 }.sorted { $0[0] < $1[0] }
  }

  /// Returns a file, or all files of a folder in the order of their names.
  private static func files(at path: String) -> [String] {
    guard FileKind(at: path) == .directory else { return [path] }
    let names = (try? FileSystem.entryNames(in: path)) ?? []
    return names.sortedByBytes.flatMap { files(at: "\(path)/\($0)") }
  }
}

extension EvaluationIdentity {
  /// Computes the digest of a plan's model, and finds the runtime.
  init(of plan: EvaluationPlan, data: DatasetDigest) throws(OperationError) {
    self.init()
    let bundle = plan.bundle
    model = try BundleDigest.digest(of: bundle).hexadecimal
    let description = try? FileBytes.contents(
      of: "\(bundle.folderPath)/model.json", limit: 1 << 26)
    if let description { self.description = SHA256.digest(of: description).hexadecimal }
    self.data = data.text
    let backend = RuntimeRegistry.shared.backends.first { $0.identifier == bundle.backend }
    let library = try? (backend as? any LibraryBackend)?.locateLibrary().path
    runtime = [bundle.backend.rawValue, library.map(FilePath.lastComponent)].compactMap(\.self)
      .joined(separator: ", ")
  }
}
