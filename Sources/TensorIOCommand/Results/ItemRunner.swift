internal import TensorIO
internal import TensorIOCore
internal import TensorIOImage

/// Runs a model on one item after the other.
///
/// An item that fails is reported in its place and the others go on.
struct ItemRunner {
  let model: Model
  let folders: PictureFolders
  let labels: LabelSelection

  /// Runs all items and returns the exit code that sums them up.
  func run(_ items: [Item], _ writer: RecordWriter, _ console: Console) -> ExitCode {
    var names = StemNames()
    var failures: [CommandFailure] = []
    var progress = Progress(of: items.count, console)
    writer.begin()
    for (index, item) in items.enumerated() {
      let stem = names.stem(of: item.name)
      let result = Result { () throws(CommandFailure) in try answer(item, stem) }
      if case .failure(let failure) = result {
        failures.append(failure)
        console.fail(failure.about(item.name))
      }
      writer.write(record(item, result), isFirst: index == 0)
      progress.advance()
    }
    writer.end()
    progress.finish()
    guard let failure = failures.first else { return .ok }
    return items.count == 1 ? failure.exit : .fellShort
  }

  private func answer(
    _ item: Item, _ stem: String
  ) throws(CommandFailure) -> RunRecord.Answer {
    do {
      var timings = Timings()
      let output = try model.run(try item.read(), timings: &timings)
      var answer = RunRecord.Answer(output, timings)
      answer.pictures = try folders.save(output, stem)
      answer.annotated = try folders.annotate(item, output, labels, stem)
      return answer
    } catch let error as ModelError {
      throw CommandFailure(error)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure("failed", "\(error)", exit: .run)
    }
  }

  private func record(
    _ item: Item, _ result: Result<RunRecord.Answer, CommandFailure>
  ) -> RunRecord {
    RunRecord(
      model: RunRecord.ModelIdentity(model.bundle), input: item.name,
      result: result.mapError { RunRecord.Failure(code: $0.code, message: $0.message) })
  }
}

extension CommandFailure {
  /// The failure of one of several items, told of which.
  fileprivate func about(_ name: String) -> CommandFailure {
    guard !name.isEmpty, !message.hasPrefix(name) else { return self }
    return CommandFailure(code, "\(name): \(message)", exit: exit)
  }
}
