import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOImage
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// Runs a model on items, in parallel if there are many.
///
/// A failed item is reported in its place and the others continue. Records are written in the order
/// of the items. The items of a stateful model run one after another, because its state is passed
/// on from item to item.
struct ItemRunner: Sendable {
  let stream: ModelStream
  let placeholders: Placeholders
  let imageFolders: ImageOutputFolders
  let labels: LabelSelection
  let postprocessor: TaskPostprocessor
  let orientation: ImageOrientation?
  /// The maximum number of items processed concurrently.
  var workers = 1
  /// The number of failed items that stops the run; `nil` for no limit.
  var maxFailures: Int?
  /// Computes the keys of recorded items; `nil` if none are recorded.
  var keyHasher: ItemKeyHasher?

  private var model: Model { stream.model }

  /// Runs all items that are not recorded yet, and returns the exit code of the run.
  func run(
    _ items: [InputItem], _ sink: any ResultSink, _ console: Console
  ) throws(OperationError) -> ExitCode {
    var names = UniqueFileStems()
    let named = items.map { NamedItem(item: $0, stem: names.stem(of: $0.outputNameBase)) }
    let (pending, recordedFailures) = try pendingItems(named, sink.recorded, console)
    var report = RunProgress(
      pending.count,
      failures: FailureCounter(limit: maxFailures, previouslyRecorded: recordedFailures), console)
    try sink.begin()
    try OrderedParallelMap.run(pending.count, threads: model.carriesState ? 1 : workers) {
      process(pending[$0])
    } deliver: {
      (index, completed) throws(OperationError) in
      try sink.write(completed.record, key: completed.key, isFirst: index == 0)
      return report.record(completed.record.error, for: pending[index].item.name)
    }
    try sink.end()
    return report.finish(isOnlyItem: items.count == 1)
  }

  private func process(_ named: NamedItem) -> CompletedItem {
    var key = keyHasher?.key(ofUnreadable: named.item.name)
    do throws(OperationError) {
      let input = try read(named.item)
      key = keyHasher?.key(of: input)
      let success = try runModel(input, named)
      return CompletedItem(record: record(named.item, .success(success)), key: key)
    } catch {
      return CompletedItem(record: record(named.item, .failure(error)), key: key)
    }
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
      // The windows of a recording are a sequence, and its end is the end of the sequence.
      if model.inputs.contains(where: \.isAudio) { stream.reset() }
      let output = try stream.run(input, placeholders: placeholders, timings: &timings)
      timings.add(named.item.decodingTime(), to: \.image)
      let processed = try postprocessor.process(output)
      var success = RunRecord.Success(processed, timings)
      success.images = try imageFolders.writeOutputImages(processed.output, stem)
      let image = originalImage(of: input)
      success.annotatedImagePath = try imageFolders.writeAnnotated(image, processed, labels, stem)
      success.cutOutPath = try imageFolders.writeCutOut(image, processed, stem)
      return success
    } catch {
      throw OperationError(error)
    }
  }

  /// The input image at full size; the image decoded for the model may be smaller.
  private func originalImage(of input: ModelInput) -> ImageBuffer? {
    guard imageFolders.needsOriginalImages else { return nil }
    return input.firstImage(of: model.callerInputs, orientation: orientation)
  }

  private func record(
    _ item: InputItem, _ result: Result<RunRecord.Success, OperationError>
  ) -> RunRecord {
    RunRecord(
      model: RunRecord.ModelIdentity(model.bundle), input: item.name, result: result)
  }
}

// MARK: Resuming

extension ItemRunner {
  /// Returns the items that no earlier run has recorded, and the number of recorded failures.
  ///
  /// Records are claimed in the order of the items, so that equal items are matched predictably.
  private func pendingItems(
    _ items: [NamedItem], _ recorded: RecordedItems, _ console: Console
  ) throws(OperationError) -> (items: [NamedItem], failures: Int) {
    guard let keyHasher, !recorded.isEmpty else { return (items, 0) }
    var recorded = recorded
    var (pending, failures): ([NamedItem], Int) = ([], 0)
    OrderedParallelMap.run(items.count, threads: workers) { index in
      let item = items[index].item
      return (try? item.read()).map(keyHasher.key) ?? keyHasher.key(ofUnreadable: item.name)
    } deliver: { index, key in
      switch recorded.claim(key) {
      case .succeeded: break
      case .failed: failures += 1
      case nil: pending.append(items[index])
      }
      return .proceed
    }
    console.info(
      "tensorio: \(items.count - pending.count) of \(items.count) items are already recorded")
    return (pending, failures)
  }
}

/// An item and the stem of its output files.
private struct NamedItem: Sendable {
  let item: InputItem
  let stem: String
}

/// The outcome of an item.
private struct CompletedItem: Sendable {
  let record: RunRecord
  let key: String?
}
