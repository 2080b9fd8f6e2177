internal import TensorIO
internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOTasks

/// Runs a model on one item after the other.
///
/// An item that fails is reported in its place and the others go on. What a model remembers goes
/// from item to item.
struct ItemRunner {
  let model: Model
  let placeholders: Placeholders
  let folders: PictureFolders
  let labels: LabelSelection
  let tasks: TaskAnswering
  let orientation: ImageOrientation?

  /// Runs all items and returns the exit code that sums them up.
  func run(_ items: [Item], _ writer: RecordWriter, _ console: Console) -> ExitCode {
    var names = StemNames()
    var stream = ModelStream(model)
    var failures: [CommandFailure] = []
    var progress = Progress(of: items.count, console)
    writer.begin()
    for (index, item) in items.enumerated() {
      let stem = names.stem(of: item.name)
      let result = Result { () throws(CommandFailure) in try answer(item, stem, &stream) }
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
    _ item: Item, _ stem: String, _ stream: inout ModelStream
  ) throws(CommandFailure) -> RunRecord.Answer {
    do {
      var timings = Timings()
      let input = try item.read()
      let output = try stream.run(input, placeholders: placeholders, timings: &timings)
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
    switch input.firstPicture(of: model.askedInputs) {
    case .image(let image): return image
    case .bytes(let bytes):
      return try? ImageBuffer(decoding: bytes, DecodingOptions(orientation: orientation))
    default: return nil
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
  /// How much of a long argument tells which one it is.
  private static let longestName = 60

  /// The failure of one of several items, told of which.
  fileprivate func about(_ name: String) -> CommandFailure {
    let isTold = message.hasPrefix("\(name):") || message.contains("'\(name)'")
    guard !name.isEmpty, !isTold else { return self }
    let isPath = !["{", "[", ValueReader.base64Prefix].contains(where: name.hasPrefix)
    let shown =
      !isPath && name.count > Self.longestName
      ? name.prefix(Self.longestName) + "…" : name[...]
    return CommandFailure(code, "\(shown): \(message)", exit: exit)
  }
}

extension ModelInput {
  /// The value of the first input that is a picture.
  fileprivate func firstPicture(of layers: [Layer]) -> LayerValue? {
    guard let index = layers.firstIndex(where: \.isPicture) else { return nil }
    switch self {
    case .named(let values): return values[layers[index].name]
    case .value(.list(let values)) where layers.count > 1:
      return index < values.count ? values[index] : nil
    case .value(let value): return layers.count == 1 ? value : nil
    }
  }
}
