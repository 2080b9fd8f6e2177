import TensorIOAudio
package import TensorIOBundle
package import TensorIOCore
import TensorIOImage
package import TensorIOJSON

/// The result of one run as clients see it: the model, the input, the result or error, and the
/// timings.
///
/// The command line prints records, and the server sends them.
package struct RunRecord: Sendable {
  /// The properties that identify a model.
  package struct ModelIdentity: Sendable, Hashable {
    let id: String
    let version: String
    let backend: String

    /// Creates the identity of an open bundle.
    package init(_ bundle: ModelBundle) {
      id = bundle.description.id
      version = bundle.description.version
      backend = bundle.backend.rawValue
    }
  }

  /// A successful run.
  package struct Success: Sendable {
    package let output: ModelOutput
    package let timings: Timings
    /// The result of the bundle's task, if it has one.
    package let taskResult: (any TaskResult)?
    /// The text of the bundle's formatter, if it has one.
    package var formattedText: String?
    /// Inconsistencies in the outputs, one per line.
    package var notes: [String] { taskResult?.notes ?? [] }
    /// The locations of images among the outputs, by output name.
    package var images: [String: ImageReference] = [:]
    /// What to draw on the image; `nil` if the record does not include it.
    package var overlay: Overlay?
    /// The path of the annotated image.
    package var annotatedImagePath: String?
    /// The path of the image of the subject without its background, if it was saved.
    package var cutOutPath: String?

    /// Creates the result of a run.
    package init(_ output: TaskPostprocessor.ProcessedOutput, _ timings: Timings) {
      self.output = output.output
      self.timings = timings
      taskResult = output.result
    }
  }

  /// The position of an input in a stream.
  package struct FramePosition: Sendable, Hashable {
    package let number: Int
    package let seconds: Double

    /// Creates a position from the index of a frame and its time in seconds.
    package init(number: Int, seconds: Double) {
      (self.number, self.seconds) = (number, seconds)
    }
  }

  /// The model.
  package let model: ModelIdentity
  /// The input as the user specified it.
  package let input: String
  /// The result or the error.
  package let result: Result<Success, OperationError>
  /// The position in a stream, which replaces the model and the input; `nil` if not in a stream.
  package let frame: FramePosition?

  /// A record of a run.
  package init(
    model: ModelIdentity, input: String, result: Result<Success, OperationError>,
    frame: FramePosition? = nil
  ) {
    self.model = model
    self.input = input
    self.result = result
    self.frame = frame
  }
}

extension RunRecord {
  /// Writes the record as one JSON object.
  package func write(to writer: inout JSONWriter, labels: LabelSelection) {
    writer.object { writer in
      writeSource(to: &writer)
      switch result {
      case .failure(let error):
        writer.member("error") { writer in
          writer.member("code", error.code)
          writer.member("message", error.message)
        }
      case .success(let success): success.write(to: &writer, labels: labels)
      }
    }
  }

  /// Writes the model and the input, or the position in a stream.
  private func writeSource(to writer: inout JSONWriter) {
    if let frame {
      writer.member("frame", frame.number)
      writer.member("time_s", (frame.seconds * 1e6).rounded() / 1e6)
      return
    }
    if case .success = result {
      writer.member("model") { writer in
        writer.member("id", model.id)
        writer.member("version", model.version)
        writer.member("backend", model.backend)
      }
    }
    writer.member("input", input)
  }
}

extension RunRecord.Success {
  fileprivate func write(to writer: inout JSONWriter, labels: LabelSelection) {
    var nonfinite: [(name: String, count: Int)] = []
    writer.member("outputs") { writer in
      if let taskResult {
        writer.key(taskResult.key)
        taskResult.write(to: &writer)
      }
      for layer in output.layers {
        let before = writer.nonfiniteCount
        writer.key(layer.name)
        writer.value(layer.value, labels: labels, image: images[layer.name])
        let count = writer.nonfiniteCount - before
        if count > 0 { nonfinite.append((layer.name, count)) }
      }
    }
    taskResult?.json?.recordMembers?(&writer)
    if !nonfinite.isEmpty {
      writer.member("nonfinite") { writer in
        for (name, count) in nonfinite { writer.member(name, count) }
      }
    }
    if let formattedText { writer.member("text", formattedText) }
    if !notes.isEmpty { writer.strings("notes", notes) }
    if let overlay {
      writer.member("display") { writer in
        writer.strings("lines", taskResult?.textLines ?? [])
        writer.key("overlay")
        overlay.write(to: &writer)
      }
    }
    if let annotatedImagePath { writer.member("annotated", annotatedImagePath) }
    if let cutOutPath { writer.member("cut_out", cutOutPath) }
    timings.write(to: &writer)
  }
}

extension JSONWriter {
  /// Writes a value, with the selected labels and the location of its image.
  package mutating func value(
    _ value: LayerValue, labels: LabelSelection = LabelSelection(),
    image: ImageReference? = nil
  ) {
    switch value {
    case .numbers(let numbers): self.value(numbers)
    case .classification(let classification):
      array { writer in
        for entry in labels.entries(of: classification) { writer.value(entry) }
      }
    case .image(let pixels): self.value(pixels, at: image)
    case .tokens(let text): array { writer in text.ids.forEach { writer.value($0) } }
    case .audio(let sound): self.value(sound)
    case .bytes(let bytes): self.value(bytes.base64Text)
    case .strings(let strings) where strings.count == 1:
      self.value(strings.bytes[0].base64UnlessText)
    case .strings(let strings):
      array { writer in strings.bytes.forEach { writer.value($0.base64UnlessText) } }
    case .list(let values):
      array { writer in
        for value in values { writer.value(value, labels: labels, image: image) }
      }
    }
  }

  fileprivate mutating func value(_ entry: Classification.Entry) {
    object { writer in
      writer.member("label", entry.label)
      writer.member("score", entry.score)
      writer.member("index", entry.index)
    }
  }

  fileprivate mutating func value(_ sound: AudioBuffer) {
    object { writer in
      writer.member("rate", sound.sampleRate)
      writer.member("channels", sound.channelCount)
      writer.member("seconds", sound.duration)
    }
  }

  fileprivate mutating func value(_ image: ImageBuffer, at location: ImageReference?) {
    object { writer in
      writer.member("width", image.width)
      writer.member("height", image.height)
      switch location {
      case .file(let path): writer.member("path", path)
      case .png(let bytes): writer.member("png", bytes.base64)
      case nil: break
      }
    }
  }
}

extension Timings {
  /// Writes the stages in milliseconds, rounded to microseconds.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member("timing_ms") { writer in
      for (name, duration) in stages { writer.member(name, duration.roundedMilliseconds) }
    }
  }
}
