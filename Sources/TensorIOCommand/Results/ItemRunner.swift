internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOEvaluation
internal import TensorIOImage
internal import TensorIOTasks

/// Runs a model on items, several at a time where there are many.
///
/// An item that fails is reported in its place and the others go on. Records come in the order of
/// the items, whichever is done first. What a model remembers goes from item to item, one after the
/// other.
struct ItemRunner: Sendable {
  let memory: ModelMemory
  let placeholders: Placeholders
  let folders: PictureFolders
  let labels: LabelSelection
  let tasks: TaskAnswering
  let orientation: ImageOrientation?
  /// How many items are under way at the same time.
  var workers = 1
  /// How many items may fail; `nil` lets all fail.
  var maxFailures: Int?
  /// By what items are known again; `nil` when nobody asks.
  var keys: ItemKeys?

  private var model: Model { memory.model }

  /// Runs all items that are not recorded yet and returns the exit code that sums them up.
  func run(
    _ items: [Item], _ sink: any ResultSink, _ console: Console
  ) throws(CommandFailure) -> ExitCode {
    var names = StemNames()
    let named = items.map { NamedItem(item: $0, stem: names.stem(of: $0.fileName)) }
    let (open, recordedFailures) = try unrecorded(named, sink.recorded, console)
    var report = RunReport(
      open.count, failures: FailureCount(limit: maxFailures, recorded: recordedFailures), console)
    try sink.begin()
    try OrderedWork.perform(open.count, workers: memory.isEmpty ? workers : 1) {
      answer(open[$0])
    } deliver: {
      (index, answered) throws(CommandFailure) in
      try sink.write(answered.record, key: answered.key, isFirst: index == 0)
      return report.add(answered.failure, of: open[index].item.name)
    }
    try sink.end()
    return report.finish(isOnlyItem: items.count == 1)
  }

  private func answer(_ named: NamedItem) -> AnsweredItem {
    var key = keys?.key(ofUnreadable: named.item.name)
    let result = Result { () throws(CommandFailure) in
      let input = try read(named.item)
      key = keys?.key(of: input)
      return try answer(input, named)
    }
    return AnsweredItem(record: record(named.item, result), key: key, result: result)
  }

  private func read(_ item: Item) throws(CommandFailure) -> ModelInput {
    do {
      return try item.read()
    } catch {
      throw CommandFailure(error)
    }
  }

  private func answer(
    _ input: ModelInput, _ named: NamedItem
  ) throws(CommandFailure) -> RunRecord.Answer {
    let stem = named.stem
    do {
      try folders.show(input, model, stem)
      var timings = Timings()
      let output = try memory.run(input, placeholders: placeholders, timings: &timings)
      timings.add(named.item.decodingTime(), to: \.picture)
      let told = try tasks.answer(output)
      var answer = RunRecord.Answer(told.output, timings)
      answer.telling = told.detections
      answer.notes = told.detections?.detections.findings.map(\.description) ?? []
      answer.pictures = try folders.save(told.output, stem)
      answer.annotated = try folders.annotate(picture(of: input), told, labels, stem)
      return answer
    } catch let error as ModelError {
      throw CommandFailure(error)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure("failed", "\(error)", exit: .run)
    }
  }

  /// The picture that goes in, whole, since what was decoded for the model may be smaller.
  private func picture(of input: ModelInput) -> ImageBuffer? {
    guard folders.annotate != nil else { return nil }
    return input.firstImage(of: model.askedInputs, orientation: orientation)
  }

  private func record(
    _ item: Item, _ result: Result<RunRecord.Answer, CommandFailure>
  ) -> RunRecord {
    RunRecord(
      model: RunRecord.ModelIdentity(model.bundle), input: item.name,
      result: result.mapError { RunRecord.Failure(code: $0.code, message: $0.message) })
  }
}

// MARK: Going on

extension ItemRunner {
  /// The items that no earlier run has recorded, and how many of the others had failed.
  ///
  /// Records are claimed in the items' order, so that it is certain whose they are where several
  /// are equal.
  private func unrecorded(
    _ items: [NamedItem], _ recorded: RecordedItems, _ console: Console
  ) throws(CommandFailure) -> (items: [NamedItem], failures: Int) {
    guard let keys, !recorded.isEmpty else { return (items, 0) }
    var recorded = recorded
    var (open, failures): ([NamedItem], Int) = ([], 0)
    OrderedWork.perform(items.count, workers: workers) { index in
      let item = items[index].item
      return (try? item.read()).map(keys.key) ?? keys.key(ofUnreadable: item.name)
    } deliver: { index, key in
      switch recorded.claim(key) {
      case .answered: break
      case .failed: failures += 1
      case nil: open.append(items[index])
      }
      return .more
    }
    console.note("tensorio: \(items.count - open.count) of \(items.count) are recorded already")
    return (open, failures)
  }
}

/// An item and what files of its own are called.
private struct NamedItem: Sendable {
  let item: Item
  let stem: String
}

/// What has come of an item.
private struct AnsweredItem: Sendable {
  let record: RunRecord
  let key: String?
  let result: Result<RunRecord.Answer, CommandFailure>

  var failure: CommandFailure? { if case .failure(let failure) = result { failure } else { nil } }
}
