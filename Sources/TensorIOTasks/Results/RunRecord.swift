package import TensorIOBundle
package import TensorIOCore
import TensorIOImage
package import TensorIOJSON

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What one run of a model is to the outside: the model, the input, the answer or the error, and
/// the time it took.
///
/// The command line prints it and a server sends it.
package struct RunRecord: Sendable {
  /// What of a model identifies it.
  package struct ModelIdentity: Sendable, Hashable {
    let id: String
    let version: String
    let backend: String

    /// The identity of an open model.
    package init(_ bundle: ModelBundle) {
      id = bundle.description.id
      version = bundle.description.version
      backend = bundle.backend.rawValue
    }
  }

  /// An error as scripts see it.
  package struct RunError: Error, Sendable, Hashable {
    package let code: String
    package let message: String

    /// An error with a short name and a line.
    package init(code: String, message: String) {
      self.code = code
      self.message = message
    }
  }

  /// A successful run.
  package struct Success: Sendable {
    package let output: ModelOutput
    package let timings: Timings
    /// What the bundle's task makes of the outputs.
    package var taskResult: (any TaskResult)?
    /// The outputs in the words of the bundle's formatter, where it names one.
    package var formattedText: String?
    /// What is doubtful about the outputs, one line each.
    package var notes: [String] = []
    /// Where the pictures among the outputs are, by output.
    package var images: [String: ImageReference] = [:]
    /// Where the annotated picture is.
    package var annotatedImagePath: String?

    /// An answer with its timings.
    package init(_ output: ModelOutput, _ timings: Timings) {
      self.output = output
      self.timings = timings
    }
  }

  /// Where an input stands in a stream.
  package struct FramePosition: Sendable, Hashable {
    package let number: Int
    package let seconds: Double

    /// The frame with so many before it, at a time.
    package init(number: Int, seconds: Double) {
      (self.number, self.seconds) = (number, seconds)
    }
  }

  /// The model that ran.
  package let model: ModelIdentity
  /// What it ran on, as the user named it.
  package let input: String
  /// What came of it.
  package let result: Result<Success, RunError>
  /// Where it stands in a stream, in place of the model and the input; `nil` outside of one.
  package let frame: FramePosition?

  /// A record of a run.
  package init(
    model: ModelIdentity, input: String, result: Result<Success, RunError>, frame: FramePosition? = nil
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
      case .failure(let failure):
        writer.member("error") { writer in
          writer.member("code", failure.code)
          writer.member("message", failure.message)
        }
      case .success(let answer): answer.write(to: &writer, labels: labels)
      }
    }
  }

  /// What ran, and on what.
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
    if !nonfinite.isEmpty {
      writer.member("nonfinite") { writer in
        for (name, count) in nonfinite { writer.member(name, count) }
      }
    }
    if let formattedText { writer.member("text", formattedText) }
    if !notes.isEmpty { writer.strings("notes", notes) }
    if let annotatedImagePath { writer.member("annotated", annotatedImagePath) }
    timings.write(to: &writer)
  }
}

private func base64(_ bytes: [UInt8]) -> String {
  Data(bytes).base64EncodedString()
}

extension JSONWriter {
  /// What came out of a layer, with the labels that are wanted and where its picture is.
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
    case .bytes(let bytes): self.value(base64(bytes))
    case .strings(let strings) where strings.count == 1: self.value(base64(strings[0]))
    case .strings(let strings):
      array { writer in strings.forEach { writer.value(base64($0)) } }
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

  fileprivate mutating func value(_ image: ImageBuffer, at place: ImageReference?) {
    object { writer in
      writer.member("width", image.width)
      writer.member("height", image.height)
      switch place {
      case .file(let path): writer.member("path", path)
      case .png(let bytes): writer.member("png", base64(bytes))
      case nil: break
      }
    }
  }
}

extension Timings {
  /// Writes the stages in milliseconds, to the microsecond.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member("timing_ms") { writer in
      for (name, duration) in stages { writer.member(name, duration.roundedMilliseconds) }
    }
  }
}

/// What a task makes of a model's raw outputs, to be printed in their place.
package protocol TaskResult: Sendable {
  /// The name under which it stands among the outputs.
  var key: String { get }
  /// Writes it as JSON.
  func write(to writer: inout JSONWriter)
}
