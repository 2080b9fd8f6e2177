internal import TensorIO
internal import TensorIOCore
internal import TensorIOData
internal import TensorIOEvaluation

/// Where what came of each item is written down, so that an evaluation can be gone on with.
struct JournalDestination {
  static let output = Flag(
    "output", "FILE", "writes down what came of each example as FILE.ndjson")
  static let resume = ResultDestination.resume
  static let flags = [output, resume]

  private let path: String
  private let isResuming: Bool

  init?(_ arguments: ParsedArguments) throws(CommandFailure) {
    isResuming = arguments.has(Self.resume)
    guard let path = arguments.value(Self.output) else {
      guard !isResuming else { throw .usage("--resume goes on with a file that --output names") }
      return nil
    }
    guard path.hasSuffix(Self.ending) else {
      throw .usage("--output takes a file that ends in .ndjson, got '\(path)'")
    }
    self.path = path
  }

  private static let ending = ".ndjson"

  /// Opens the file of one of several bundles; only the one of a single bundle has the very name.
  func open(
    _ plan: EvaluationPlan, _ data: String, options: [String], number: Int, of count: Int
  ) throws(CommandFailure) -> EvaluationJournal {
    let own = count == 1 ? path : "\(path.dropLast(Self.ending.count))-\(number + 1)\(Self.ending)"
    let digest = try BundleDigest.digest(of: plan.bundle).prefix(16).map { "\($0)" }
    let subject = EvaluationSubject(
      bundle: digest.joined(separator: "."), data: data, count: plan.data.items.count,
      options: options)
    return try CommandFailure.wrapping { () throws(ModelError) in
      try EvaluationJournal(at: own, of: subject, resuming: isResuming)
    }
  }
}
