internal import TensorIOCore
internal import TensorIOEvaluation
internal import TensorIOSystem

/// What came of an evaluation, with the places of this machine taken out.
struct ToldReport {
  private let job: EvaluationJob
  private let result: EvaluationResult
  private let program: String

  /// The report of an evaluation that has one.
  init?(_ job: EvaluationJob, program: String) {
    guard let result = job.progress.result else { return nil }
    (self.job, self.result, self.program) = (job, result, program)
  }

  /// As scripts read it.
  var json: [UInt8] { report(namingPictures: true).json }

  /// The figures as a table.
  var csv: [UInt8] { report(namingPictures: true).figuresTable }

  /// A page that needs nothing besides itself.
  var html: [UInt8] {
    let cards = [job.model: job.bundle.card].compactMapValues(\.self)
    return ReportPage(report(namingPictures: false), cards: cards).html
  }

  /// Where the picture lies of one of the answers that are told of.
  func picture(of name: String) -> String? {
    (result.samples.worst + result.samples.best).first { $0.name == name }?.picture
  }

  private func report(namingPictures: Bool) -> EvaluationReport {
    var told = result
    told.model.path = job.model
    told.data = job.source.title
    told.errors = result.errors.map { error in
      var error = error
      (error.name, error.message) = (job.veil.text(error.name), job.veil.text(error.message))
      return error
    }
    if namingPictures {
      told.samples = SampleAnswers(
        worst: result.samples.worst.map(named), best: result.samples.best.map(named))
    }
    return EvaluationReport(
      [told], command: "tensorio studio", date: Platform.now, program: program)
  }

  /// The answer with its picture called as the data calls it.
  private func named(_ answer: SampleAnswer) -> SampleAnswer {
    var answer = answer
    answer.picture = answer.picture.map(job.veil.text)
    return answer
  }
}
