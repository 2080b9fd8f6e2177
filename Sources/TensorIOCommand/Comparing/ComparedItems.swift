internal import TensorIO
internal import TensorIOCore
internal import TensorIOData
internal import TensorIOEvaluation
internal import TensorIOSystem

/// The items that two models are compared on: what `run` takes, and data with right answers, which
/// are left aside.
struct ComparedItems {
  private static let tables = [".csv", ".tsv", ".ndjson"]

  let list: [Item]

  /// The items of words or of a file with a JSON value a line, as a model takes them.
  init(
    _ words: [String], batch: String?, for model: Model, _ console: Console
  ) throws(CommandFailure) {
    let reader = ItemReader(for: model.description, console)
    if let batch {
      list = try reader.batch(batch)
    } else if words.isEmpty {
      list = try Self.samples(of: model.bundle, reader)
    } else if words.count == 1, Self.tables.contains(where: words[0].hasSuffix) {
      list = try Self.rows(of: words[0], for: model, console)
    } else {
      list = try reader.items(words.flatMap { Self.labelFolders(in: $0) ?? [$0] }).items
    }
  }

  /// All pictures that lie beside the model, or else its first example or sample.
  private static func samples(
    of bundle: ModelBundle, _ reader: ItemReader
  ) throws(CommandFailure) -> [Item] {
    let samples = BundleSamples(bundle)
    if let pictures = samples.pictures, !pictures.isEmpty {
      return try reader.items(pictures).items
    }
    guard let own = try samples.first(reader) else {
      throw .usage(
        "give inputs, since the first bundle has no samples: tensorio compare "
          + CompareVerb.page.usage)
    }
    return own.items
  }

  /// The folders in a folder that has no pictures itself, one a label; `nil` for anything else.
  private static func labelFolders(in word: String) -> [String]? {
    guard FileKind(at: word) == .folder, PictureSet(word)?.paths.isEmpty == true,
      let names = try? Folder.names(in: word)
    else { return nil }
    let folders = names.sortedByBytes.map { "\(word)/\($0)" }.filter {
      PictureSet($0)?.paths.isEmpty == false
    }
    return folders.isEmpty ? nil : folders
  }

  /// The rows of a table or the lines of a file, with or without right answers.
  private static func rows(
    of path: String, for model: Model, _ console: Console
  ) throws(CommandFailure) -> [Item] {
    do throws(ModelError) {
      let data = try DataSet(at: path, for: model.askedInputs)
      return (0..<data.count).map { index in
        Item(data.name(at: index)) { () throws(ModelError) in try data.item(at: index) }
      }
    } catch {
      guard let plan = try? EvaluationPlan(model.bundle, dataAt: path) else {
        throw CommandFailure(error)
      }
      return (0..<plan.count).map { index in
        Item(plan.name(at: index)) { () throws(ModelError) in
          try plan.input(at: index, of: model.askedInputs)
        }
      }
    }
  }
}
