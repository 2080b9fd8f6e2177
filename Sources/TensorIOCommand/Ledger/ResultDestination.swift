internal import TensorIO
internal import TensorIOCore

/// Where results go, as the command line says.
struct ResultDestination {
  static let output = Flag(
    "output", "FILE", "writes to FILE.ndjson, .csv or .sqlite, in place of standard output")
  static let resume = Flag("resume", "goes on with the file of --output, skipping what it holds")
  static let flags = [output, resume]

  private enum Form: String { case ndjson, csv, sqlite }

  private let path: String
  private let form: Form
  private let isResuming: Bool

  /// The file that is asked for; `nil` when it is the standard output.
  init?(_ arguments: ParsedArguments) throws(CommandFailure) {
    isResuming = arguments.has(Self.resume)
    guard let path = arguments.value(Self.output) else {
      guard !isResuming else { throw .usage("--resume goes on with a file that --output names") }
      return nil
    }
    guard !arguments.has(OutputFormat.flag) else {
      throw .usage("the ending of --output says the format: leave --format out")
    }
    let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    guard let form = Form(rawValue: ending) else {
      throw .usage("--output takes a file that ends in .ndjson, .csv or .sqlite, got '\(path)'")
    }
    (self.path, self.form) = (path, form)
  }

  /// Refuses to go on with what cannot be known again.
  func check(against model: Model, at path: String) throws(CommandFailure) {
    guard isResuming else { return }
    guard model.state.isEmpty else {
      throw .usage("--resume leaves items out, and this model remembers those before each")
    }
    guard !Chain.isNamed(path) else {
      throw .usage("--resume knows the answers of single bundles, not of chains")
    }
  }

  /// Opens the file, for records with the labels that are wanted.
  func open(_ labels: LabelSelection, _ console: Console) throws(CommandFailure) -> any ResultSink {
    let writer = RecordWriter(
      format: form == .csv ? .csv : .ndjson, labels: labels, isArray: true, console: console)
    return switch form {
    case .sqlite: try ResultDatabase(path, writer, isResuming: isResuming)
    case .ndjson, .csv: try ResultFile(path, writer, isResuming: isResuming)
    }
  }
}
