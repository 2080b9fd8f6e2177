import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOSystem

/// The items on which two models are compared: inputs of `tensorio run`, or datasets, possibly with ground truth.
struct ComparisonInputs {
  private static let tableExtensions = [".csv", ".tsv", ".ndjson"]

  let items: [InputItem]
  /// The data of the items, if it has ground truth.
  private(set) var plan: EvaluationPlan?

  /// Reads the items of arguments, or of a file with one JSON value per line.
  init(
    _ arguments: [String], inputFile: String?, for model: Model, _ console: Console
  ) throws(OperationError) {
    let reader = InputItemParser(
      for: model.description, textInputs: model.textInputs, console)
    if inputFile == nil, arguments.count == 1,
      let plan = Self.plan(of: arguments[0], for: model)
    {
      self.plan = plan
      items = (0..<plan.count).map { index in
        InputItem(plan.imagePath(at: index) ?? plan.name(at: index)) { () throws(ModelError) in
          try plan.input(at: index, of: model.callerInputs)
        }
      }
    } else if let inputFile {
      items = try reader.batch(inputFile)
    } else if arguments.isEmpty {
      items = try Self.sampleItems(of: model.bundle, reader)
    } else if arguments.count == 1, Self.tableExtensions.contains(where: arguments[0].hasSuffix) {
      items = try Self.rowItems(of: arguments[0], for: model, console)
    } else {
      items = try reader.items(arguments.flatMap { Self.classFolders(in: $0) ?? [$0] }).items
    }
  }

  /// Returns the plan of a dataset whose ground truth fits a model; `nil` for other inputs.
  private static func plan(of path: String, for model: Model) -> EvaluationPlan? {
    guard !DatasetKind.kinds(of: path).isEmpty, FileKind(at: path) != nil,
      let plan = try? EvaluationPlan(model.bundle, dataAt: path, opening: { _ in model }),
      plan.count > 0
    else { return nil }
    return plan
  }

  /// Returns all sample images of a bundle, or else its first example or sample.
  private static func sampleItems(
    of bundle: ModelBundle, _ reader: InputItemParser
  ) throws(OperationError) -> [InputItem] {
    let samples = BundleSamples(bundle)
    if let images = samples.images, !images.isEmpty {
      return try reader.items(images).items
    }
    guard let sample = try samples.firstItems(reader) else {
      throw CompareCommand.helpPage.usageError(
        "missing <data> or <input>: the bundle has no samples")
    }
    return sample.items
  }

  /// Returns the subfolders with images of a folder that contains no images itself, one per label;
  /// `nil` otherwise.
  private static func classFolders(in path: String) -> [String]? {
    guard FileKind(at: path) == .directory, ImageFileSet(path)?.paths.isEmpty == true,
      let names = try? FileSystem.entryNames(in: path)
    else { return nil }
    let folders = names.sortedByBytes.map { "\(path)/\($0)" }.filter {
      ImageFileSet($0)?.paths.isEmpty == false
    }
    return folders.isEmpty ? nil : folders
  }

  /// Reads the rows of a table or the lines of a file without ground truth.
  private static func rowItems(
    of path: String, for model: Model, _ console: Console
  ) throws(OperationError) -> [InputItem] {
    try OperationError.rethrowing { () throws(ModelError) in
      let data = try ExampleDataset(
        at: path, for: model.callerInputs, labels: [], texts: model.textInputs)
      return (0..<data.count).map { index in
        InputItem(data.name(at: index)) { () throws(ModelError) in try data.item(at: index) }
      }
    }
  }
}

extension ComparedItem {
  /// The error of a failed item; `nil` if the item was compared.
  var error: OperationError? {
    guard case .failed(let failures) = outcome, let first = failures.first else { return nil }
    let message = failures.map(\.modelPrefixedMessage).joined(separator: "; ")
    return OperationError(first.code, message, exitCode: .invalidInput)
  }
}

extension ComparedItem.Failure {
  /// The message, prefixed with the model that failed.
  fileprivate var modelPrefixedMessage: String {
    side.map { "\($0.rawValue.uppercased()): \(message)" } ?? message
  }
}
