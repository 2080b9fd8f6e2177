internal import TensorIOImage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension RunRecord {
  /// Writes the record as one JSON object.
  package func write(to writer: inout JSONWriter, labels: LabelSelection) {
    writer.object { writer in
      write(place: &writer)
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
  private func write(place writer: inout JSONWriter) {
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

extension RunRecord.Answer {
  fileprivate func write(to writer: inout JSONWriter, labels: LabelSelection) {
    var nonfinite: [(name: String, count: Int)] = []
    writer.member("outputs") { writer in
      if let telling {
        writer.key(telling.key)
        telling.write(to: &writer)
      }
      for layer in output.layers {
        let before = writer.nonfiniteCount
        writer.key(layer.name)
        writer.value(layer.value, labels: labels, picture: pictures[layer.name])
        let count = writer.nonfiniteCount - before
        if count > 0 { nonfinite.append((layer.name, count)) }
      }
    }
    if !nonfinite.isEmpty {
      writer.member("nonfinite") { writer in
        for (name, count) in nonfinite { writer.member(name, count) }
      }
    }
    if let text { writer.member("text", text) }
    if !notes.isEmpty { writer.texts("notes", notes) }
    if let annotated { writer.member("annotated", annotated) }
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
    picture: PictureReference? = nil
  ) {
    switch value {
    case .numbers(let numbers): self.value(numbers)
    case .classification(let classification):
      array { writer in
        for entry in labels.entries(of: classification) { writer.value(entry) }
      }
    case .image(let image): self.value(image, at: picture)
    case .bytes(let bytes): self.value(base64(bytes))
    case .strings(let strings) where strings.count == 1: self.value(base64(strings[0]))
    case .strings(let strings):
      array { writer in strings.forEach { writer.value(base64($0)) } }
    case .list(let values):
      array { writer in
        for value in values { writer.value(value, labels: labels, picture: picture) }
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

  fileprivate mutating func value(_ image: ImageBuffer, at place: PictureReference?) {
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
