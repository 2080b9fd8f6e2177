import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOImage
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// Runs a model on items, several at a time where there are many.
///
/// An item that fails is reported in its place and the others go on. Records come in the order of
/// the items, whichever is done first. What a model remembers goes from item to item, one after the
/// other.
struct ItemRunner: Sendable {
  let statefulModel: SharedModelStream
  let placeholders: Placeholders
  let imageFolders: ImageOutputFolders
  let labels: LabelSelection
  let postprocessor: TaskPostprocessor
  let orientation: ImageOrientation?
  /// How many items are under way at the same time.
  var workers = 1
  /// How many items may fail; `nil` lets all fail.
  var maxFailures: Int?
  /// By what items are known again; `nil` when nobody asks.
  var keyHasher: ItemKeyHasher?

  private var model: Model { statefulModel.model }

  /// Runs all items that are not recorded yet and returns the exit code that sums them up.
  func run(
    _ items: [InputItem], _ sink: any ResultSink, _ console: Console
  ) throws(OperationError) -> ExitCode {
    var names = UniqueFileStems()
    let named = items.map { NamedItem(item: $0, stem: names.stem(of: $0.outputNameBase)) }
    let (open, recordedFailures) = try pendingItems(named, sink.recorded, console)
    var report = RunProgress(
      open.count, failures: FailureCounter(limit: maxFailures, previouslyRecorded: recordedFailures), console)
    try sink.begin()
    try OrderedParallelMap.run(open.count, threads: statefulModel.isStateless ? workers : 1) {
      process(open[$0])
    } deliver: {
      (index, answered) throws(OperationError) in
      try sink.write(answered.record, key: answered.key, isFirst: index == 0)
      return report.record(answered.error, for: open[index].item.name)
    }
    try sink.end()
    return report.finish(isOnlyItem: items.count == 1)
  }

  private func process(_ named: NamedItem) -> CompletedItem {
    var key = keyHasher?.key(ofUnreadable: named.item.name)
    let result = Result { () throws(OperationError) in
      let input = try read(named.item)
      key = keyHasher?.key(of: input)
      return try runModel(input, named)
    }
    return CompletedItem(record: record(named.item, result), key: key, result: result)
  }

  private func read(_ item: InputItem) throws(OperationError) -> ModelInput {
    do {
      return try item.read()
    } catch {
      throw OperationError(error)
    }
  }

  private func runModel(
    _ input: ModelInput, _ named: NamedItem
  ) throws(OperationError) -> RunRecord.Success {
    let stem = named.stem
    do {
      try imageFolders.writePreprocessed(input, model, stem)
      var timings = Timings()
      let output = try statefulModel.run(input, placeholders: placeholders, timings: &timings)
      timings.add(named.item.decodingTime(), to: \.image)
      let told = try postprocessor.process(output)
      var answer = RunRecord.Success(told.output, timings)
      answer.taskResult = told.detections
      answer.notes = told.detections?.detections.inconsistencies.map(\.description) ?? []
      answer.images = try imageFolders.writeOutputImages(told.output, stem)
      answer.annotatedImagePath = try imageFolders.writeAnnotated(originalImage(of: input), told, labels, stem)
      return answer
    } catch let error as ModelError {
      throw OperationError(error)
    } catch let failure as OperationError {
      throw failure
    } catch {
      throw OperationError("failed", "\(error)", exitCode: .inferenceFailed)
    }
  }

  /// The picture that goes in, whole, since what was decoded for the model may be smaller.
  private func originalImage(of input: ModelInput) -> ImageBuffer? {
    guard imageFolders.writeAnnotated != nil else { return nil }
    return input.firstImage(of: model.callerInputs, orientation: orientation)
  }

  private func record(
    _ item: InputItem, _ result: Result<RunRecord.Success, OperationError>
  ) -> RunRecord {
    RunRecord(
      model: RunRecord.ModelIdentity(model.bundle), input: item.name,
      result: result.mapError { RunRecord.RunError(code: $0.code, message: $0.message) })
  }
}

// MARK: Going on

extension ItemRunner {
  /// The items that no earlier run has recorded, and how many of the others had failed.
  ///
  /// Records are claimed in the items' order, so that it is certain whose they are where several
  /// are equal.
  private func pendingItems(
    _ items: [NamedItem], _ recorded: RecordedItems, _ console: Console
  ) throws(OperationError) -> (items: [NamedItem], failures: Int) {
    guard let keyHasher, !recorded.isEmpty else { return (items, 0) }
    var recorded = recorded
    var (open, failures): ([NamedItem], Int) = ([], 0)
    OrderedParallelMap.run(items.count, threads: workers) { index in
      let item = items[index].item
      return (try? item.read()).map(keyHasher.key) ?? keyHasher.key(ofUnreadable: item.name)
    } deliver: { index, key in
      switch recorded.claim(key) {
      case .succeeded: break
      case .failed: failures += 1
      case nil: open.append(items[index])
      }
      return .proceed
    }
    console.info("tensorio: \(items.count - open.count) of \(items.count) are recorded already")
    return (open, failures)
  }
}

/// An item and what files of its own are called.
private struct NamedItem: Sendable {
  let item: InputItem
  let stem: String
}

/// What has come of an item.
private struct CompletedItem: Sendable {
  let record: RunRecord
  let key: String?
  let result: Result<RunRecord.Success, OperationError>

  var error: OperationError? { if case .failure(let failure) = result { failure } else { nil } }
}
