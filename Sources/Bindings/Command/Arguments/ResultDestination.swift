import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOLibrary
import TensorIOTasks

/// The file that receives results in place of standard output.
struct ResultDestination {
  static let output = Flag(
    "output", "FILE", "Write results to FILE.ndjson, .csv or .sqlite instead of printing")
  static let resume = Flag("resume", "Resume into --output, skipping recorded items")
  static let flags = [output, resume]

  private enum Format: String { case ndjson, csv, sqlite }

  private let path: String
  private let format: Format
  private let isResuming: Bool
  private let cellStyle: CSVWriter.CellStyle

  /// Creates the destination; `nil` if results go to standard output.
  init?(_ arguments: ParsedArguments) throws(OperationError) {
    isResuming = arguments.has(Self.resume)
    guard let path = arguments.value(Self.output) else {
      guard !isResuming else { throw .usage("--resume requires --output FILE") }
      return nil
    }
    guard !arguments.has(OutputFormat.flag) else {
      throw .usage(
        "--format cannot be combined with --output; the file extension selects the format")
    }
    let pathExtension = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    guard let format = Format(rawValue: pathExtension) else {
      throw .usage("--output takes a file name ending in .ndjson, .csv or .sqlite, got '\(path)'")
    }
    (self.path, self.format) = (path, format)
    cellStyle = CSVWriter.CellStyle(arguments)
  }

  /// Throws a usage error if the model's results cannot be resumed.
  func validate(for model: Model) throws(OperationError) {
    guard isResuming else { return }
    guard !model.carriesState else {
      throw .usage("--resume skips items, but this model carries state from item to item")
    }
    guard !model.bundle.isChain else {
      throw .usage("--resume is not available for chains")
    }
  }

  /// Opens the file for records with the selected labels.
  func open(_ labels: LabelSelection, _ console: Console) throws(OperationError) -> any ResultSink {
    let writer = RecordWriter(
      format: format == .csv ? .csv : .ndjson, labels: labels, isArray: true,
      cellStyle: cellStyle, console: console)
    return switch format {
    case .sqlite: try ResultDatabase(path, writer, isResuming: isResuming)
    case .ndjson, .csv: try ResultFile(path, writer, isResuming: isResuming)
    }
  }
}

/// The log of an evaluation, from which it can be resumed.
struct EvaluationLogDestination {
  static let output = Flag(
    "output", "FILE", "Log the result of each example to FILE.ndjson")
  static let resume = ResultDestination.resume
  static let flags = [output, resume]

  private let path: String
  private let isResuming: Bool

  init?(_ arguments: ParsedArguments) throws(OperationError) {
    isResuming = arguments.has(Self.resume)
    guard let path = arguments.value(Self.output) else {
      guard !isResuming else { throw .usage("--resume requires --output FILE") }
      return nil
    }
    guard path.hasSuffix(Self.pathExtension) else {
      throw .usage("--output takes a file name ending in .ndjson, got '\(path)'")
    }
    self.path = path
  }

  private static let pathExtension = ".ndjson"

  /// Opens the log of one of `count` bundles, numbered if there are several.
  func open(
    _ plan: EvaluationPlan, _ data: String, options: [String], index: Int, of count: Int
  ) throws(OperationError) -> EvaluationLog {
    let stem = path.dropLast(Self.pathExtension.count)
    let path = count == 1 ? path : "\(stem)-\(index + 1)\(Self.pathExtension)"
    let digest = try BundleDigest.digest(of: plan.bundle).prefix(16).map { "\($0)" }
    let header = EvaluationLogHeader(
      bundleDigest: digest.joined(separator: "."), data: data, count: plan.data.items.count,
      options: options)
    return try OperationError.rethrowing { () throws(ModelError) in
      try EvaluationLog(at: path, of: header, resuming: isResuming)
    }
  }
}
