import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOLibrary
import TensorIOTasks

/// Where results go, as the command line says.
struct ResultDestination {
  static let output = Flag(
    "output", "FILE", "writes to FILE.ndjson, .csv or .sqlite, in place of standard output")
  static let resume = Flag("resume", "goes on with the file of --output, skipping what it holds")
  static let flags = [output, resume]

  private enum Format: String { case ndjson, csv, sqlite }

  private let path: String
  private let format: Format
  private let isResuming: Bool

  /// The file that is asked for; `nil` when it is the standard output.
  init?(_ arguments: ParsedArguments) throws(OperationError) {
    isResuming = arguments.has(Self.resume)
    guard let path = arguments.value(Self.output) else {
      guard !isResuming else { throw .usage("--resume goes on with a file that --output names") }
      return nil
    }
    guard !arguments.has(OutputFormat.flag) else {
      throw .usage("the ending of --output says the format: leave --format out")
    }
    let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    guard let form = Format(rawValue: ending) else {
      throw .usage("--output takes a file that ends in .ndjson, .csv or .sqlite, got '\(path)'")
    }
    (self.path, self.format) = (path, form)
  }

  /// Refuses to go on with what cannot be known again.
  func validate(for model: Model, at path: String) throws(OperationError) {
    guard isResuming else { return }
    guard model.state.isEmpty else {
      throw .usage("--resume leaves items out, and this model remembers those before each")
    }
    guard !Chain.hasChainExtension(path) else {
      throw .usage("--resume knows the answers of single bundles, not of chains")
    }
  }

  /// Opens the file, for records with the labels that are wanted.
  func open(_ labels: LabelSelection, _ console: Console) throws(OperationError) -> any ResultSink {
    let writer = RecordWriter(
      format: format == .csv ? .csv : .ndjson, labels: labels, isArray: true, console: console)
    return switch format {
    case .sqlite: try ResultDatabase(path, writer, isResuming: isResuming)
    case .ndjson, .csv: try ResultFile(path, writer, isResuming: isResuming)
    }
  }
}

/// Where what came of each item is written down, so that an evaluation can be gone on with.
struct EvaluationLogDestination {
  static let output = Flag(
    "output", "FILE", "writes down what came of each example as FILE.ndjson")
  static let resume = ResultDestination.resume
  static let flags = [output, resume]

  private let path: String
  private let isResuming: Bool

  init?(_ arguments: ParsedArguments) throws(OperationError) {
    isResuming = arguments.has(Self.resume)
    guard let path = arguments.value(Self.output) else {
      guard !isResuming else { throw .usage("--resume goes on with a file that --output names") }
      return nil
    }
    guard path.hasSuffix(Self.pathExtension) else {
      throw .usage("--output takes a file that ends in .ndjson, got '\(path)'")
    }
    self.path = path
  }

  private static let pathExtension = ".ndjson"

  /// Opens the file of one of several bundles; only the one of a single bundle has the very name.
  func open(
    _ plan: EvaluationPlan, _ data: String, options: [String], index: Int, of count: Int
  ) throws(OperationError) -> EvaluationLog {
    let own = count == 1 ? path : "\(path.dropLast(Self.pathExtension.count))-\(index + 1)\(Self.pathExtension)"
    let digest = try BundleDigest.digest(of: plan.bundle).prefix(16).map { "\($0)" }
    let subject = EvaluationLogHeader(
      bundleDigest: digest.joined(separator: "."), data: data, count: plan.data.items.count,
      options: options)
    return try OperationError.rethrowing { () throws(ModelError) in
      try EvaluationLog(at: own, of: subject, resuming: isResuming)
    }
  }
}
