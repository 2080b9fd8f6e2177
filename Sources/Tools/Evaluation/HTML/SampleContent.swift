package import TensorIOAudio
package import TensorIOCore
package import TensorIOImage
package import TensorIOTasks

/// What a sample of a report shows, with what the model has found in it.
package enum SampleContent: Sendable {
  /// An image on which the result is drawn.
  case image(ImageBuffer)
  /// Texts, and sections of one of them.
  case texts([String], [FoundSection])
  /// A sound, and sections of it.
  case sound(AudioBuffer, [FoundSection])

  /// Creates the content of an item; `nil` if it is neither a text nor a sound in a WAV file.
  ///
  /// - Parameters:
  ///   - input: The values of the model's inputs.
  ///   - result: The result of the task, whose sections are shown.
  package init?(_ input: ModelInput, _ result: (any TaskResult)?) {
    let values =
      switch input {
      case .value(let value): [value]
      case .named(let values): values.sorted { $0.key < $1.key }.map(\.value)
      }
    let all = values.flatMap { if case .list(let list) = $0 { list } else { [$0] } }
    let sections = result?.column.foundSections ?? []
    let texts = all.flatMap(Self.texts)
    if !texts.isEmpty {
      self = .texts(texts, sections)
    } else if let sound = all.lazy.compactMap(Self.sound).first {
      self = .sound(sound, sections)
    } else {
      return nil
    }
  }

  private static func texts(_ value: LayerValue) -> [String] {
    if case .strings(let strings) = value { Array(strings) } else { [] }
  }

  private static func sound(_ value: LayerValue) -> AudioBuffer? {
    switch value {
    case .audio(let sound): sound
    case .bytes(let bytes): try? AudioBuffer(decoding: bytes)
    case .numbers, .strings, .tokens, .image, .classification, .list: nil
    }
  }
}
