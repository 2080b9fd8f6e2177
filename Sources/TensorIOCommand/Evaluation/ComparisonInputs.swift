import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOSystem

/// The items that two models are compared on: what `run` takes, and data with right answers, which
/// are left aside.
struct ComparisonInputs {
  private static let tableExtensions = [".csv", ".tsv", ".ndjson"]

  let items: [InputItem]

  /// The items of words or of a file with a JSON value a line, as a model takes them.
  init(
    _ words: [String], batch: String?, for model: Model, _ console: Console
  ) throws(OperationError) {
    let reader = InputItemParser(for: model.description, console)
    if let batch {
      items = try reader.batch(batch)
    } else if words.isEmpty {
      items = try Self.sampleItems(of: model.bundle, reader)
    } else if words.count == 1, Self.tableExtensions.contains(where: words[0].hasSuffix) {
      items = try Self.rowItems(of: words[0], for: model, console)
    } else {
      items = try reader.items(words.flatMap { Self.classFolders(in: $0) ?? [$0] }).items
    }
  }

  /// All pictures that lie beside the model, or else its first example or sample.
  private static func sampleItems(
    of bundle: ModelBundle, _ reader: InputItemParser
  ) throws(OperationError) -> [InputItem] {
    let samples = BundleSamples(bundle)
    if let pictures = samples.images, !pictures.isEmpty {
      return try reader.items(pictures).items
    }
    guard let own = try samples.firstItems(reader) else {
      throw .usage(
        "give inputs, since the first bundle has no samples: tensorio compare "
          + CompareCommand.helpPage.usage)
    }
    return own.items
  }

  /// The folders in a folder that has no pictures itself, one a label; `nil` for anything else.
  private static func classFolders(in word: String) -> [String]? {
    guard FileKind(at: word) == .directory, ImageFileSet(word)?.paths.isEmpty == true,
      let names = try? FileSystem.entryNames(in: word)
    else { return nil }
    let folders = names.sortedByBytes.map { "\(word)/\($0)" }.filter {
      ImageFileSet($0)?.paths.isEmpty == false
    }
    return folders.isEmpty ? nil : folders
  }

  /// The rows of a table or the lines of a file, with or without right answers.
  private static func rowItems(
    of path: String, for model: Model, _ console: Console
  ) throws(OperationError) -> [InputItem] {
    do throws(ModelError) {
      let data = try ExampleDataset(at: path, for: model.callerInputs)
      return (0..<data.count).map { index in
        InputItem(data.name(at: index)) { () throws(ModelError) in try data.item(at: index) }
      }
    } catch {
      guard let plan = try? EvaluationPlan(model.bundle, dataAt: path) else {
        throw OperationError(error)
      }
      return (0..<plan.count).map { index in
        InputItem(plan.name(at: index)) { () throws(ModelError) in
          try plan.input(at: index, of: model.callerInputs)
        }
      }
    }
  }
}

extension ComparedItem {
  /// Why there is nothing to compare, as commands tell it; `nil` where there is.
  var error: OperationError? {
    guard case .failed(let failures) = outcome, let first = failures.first else { return nil }
    let message = failures.map(\.modelPrefixedMessage).joined(separator: "; ")
    return OperationError(first.code, message, exitCode: .invalidInput)
  }
}

extension ComparedItem.Failure {
  /// The failure, told of the model that failed.
  fileprivate var modelPrefixedMessage: String {
    side.map { "\($0.rawValue.uppercased()): \(message)" } ?? message
  }
}
