internal import TensorIOCore
internal import TensorIOServer

extension EvaluationJob {
  /// What is told of the evaluation, with its report where there is one.
  func writeMembers(to writer: inout JSONWriter, program: String) {
    let progress = progress
    writer.member("id", id)
    writer.member("model", model)
    writer.member("data", orNull: offeredName)
    writer.member("state", progress.stage.rawValue)
    writer.member("done", progress.done)
    writer.member("count", progress.stage == .filling ? broughtCount : progress.count)
    writer.member("rate", orNull: progress.rate)
    writer.member("seconds_left", orNull: progress.secondsLeft)
    writer.member("error", orNull: progress.fault)
    writer.key("report")
    if let report = report(program) { writer.value(report) } else { writer.null() }
  }

  /// The one result of the report, as it stands in the report's own JSON.
  private func report(_ program: String) -> JSONNode? {
    let limits = JSONLimits(bytes: JSONLimits.maximumBytes)
    return ToldReport(self, program: program)
      .flatMap { try? JSONDocument(parsing: $0.json, limits: limits) }?.root[0]
  }

  private var offeredName: String? {
    if case .offered(let data) = source { data.name } else { nil }
  }

  private var broughtCount: Int {
    if case .brought(let pictures) = source { pictures.count } else { 0 }
  }
}
