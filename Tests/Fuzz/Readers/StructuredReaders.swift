import TensorIOBundle
import TensorIOData
import TensorIOImage

/// Readers of the ground truth of masks of objects, tracks, answers and labeled sections.
enum StructuredReaders {
  /// The pixels of an annotated object cover the image.
  static func outlines(_ bytes: [UInt8]) throws(PropertyViolation) {
    let path = try FuzzedFile.holding(bytes, named: "outlines.json")
    guard let data = unlessRejected({ try DetectionDataset(at: path) }) else { return }
    for index in 0..<data.count where data.error(at: index) == nil {
      guard let size = unlessRejected({ try data.imageSize(at: index) }),
        let boxes = unlessRejected({ try data.boxes(at: index) })
      else { throw PropertyViolation(description: "an image without errors cannot be read") }
      for outline in boxes.compactMap(\.outline) {
        let pixels = outline.pixels(width: size.width, height: size.height)
        try verify(pixels.count == size.width * size.height, "there are other pixels")
      }
    }
  }

  /// The boxes of a frame are finite and have an area.
  static func tracks(_ bytes: [UInt8]) throws(PropertyViolation) {
    let image = Array("P5 1 1 255\n7".utf8)
    for frame in ["1", "2"] {
      _ = try FuzzedFile.holding(image, named: "sequence/img1/\(frame).pgm")
    }
    _ = try FuzzedFile.holding(bytes, named: "sequence/gt/gt.txt")
    let path = "\(try FuzzedFile.folder())/sequence"
    guard let data = unlessRejected({ try TrackDataset(at: path) }) else { return }
    try verify(data.count == 2, "there are other frames")
    for index in 0..<data.count {
      for box in data.boxes(at: index) {
        try verify(
          box.edges.count == 4 && box.edges.allSatisfy(\.isFinite), "a box is not finite")
      }
    }
  }

  /// Every question can be read.
  static func questions(_ bytes: [UInt8]) throws(PropertyViolation) {
    let path = try FuzzedFile.holding(bytes, named: "questions.json")
    guard let data = unlessRejected({ try QuestionDataset(at: path) }) else { return }
    try verify(data.count > 0, "an empty file is accepted")
    for index in 0..<data.count {
      try verify(data.name(at: index) == data.question(at: index).id, "a name is another one")
    }
  }

  /// All prompts of a file have the same kind of expectation, and the right choice is one of them.
  static func prompts(_ bytes: [UInt8]) throws(PropertyViolation) {
    for name in ["prompts.ndjson", "prompts.csv"] {
      let path = try FuzzedFile.holding(bytes, named: name)
      guard let data = unlessRejected({ try PromptDataset(at: path) }) else { continue }
      try verify(data.count > 0, "an empty file is accepted")
      for index in 0..<data.count {
        switch (data.item(at: index).expectation, data.item(at: 0).expectation) {
        case (.text(let text), .text): try verify(!text.isEmpty, "a text is empty")
        case (.answers(let texts), .answers): try verify(!texts.isEmpty, "there is no answer")
        case (.choices(let texts, let correct), .choices):
          try verify(texts.count > 1 && texts.indices ~= correct, "the right choice is missing")
        default: try verify(false, "the kinds differ")
        }
      }
    }
  }

  /// The sections of a sentence are in its text, in order, and have known labels.
  static func sentences(_ bytes: [UInt8]) throws(PropertyViolation) {
    let path = try FuzzedFile.holding(bytes, named: "sentences.conll")
    guard let data = unlessRejected({ try TaggedSentences(at: path) }) else { return }
    for index in 0..<data.count {
      let length = data.text(at: index).utf8.count
      var end = 0
      for entity in data.entities(at: index) {
        try verify(
          entity.range.lowerBound >= end && !entity.range.isEmpty
            && entity.range.upperBound <= length, "a section is out of range")
        try verify(data.labels.contains(entity.label), "a label is unknown")
        end = entity.range.upperBound
      }
      try verify(
        data.labelIndices(at: index).allSatisfy(data.labels.indices.contains),
        "a label is out of range")
    }
  }

  /// The lines of an image have a text and an outline of finite corners; without an outline, there is one line.
  static func textImages(_ bytes: [UInt8]) throws(PropertyViolation) {
    for name in ["texts.txt", "texts.json"] {
      let path = try FuzzedFile.holding(bytes, named: name)
      guard let data = unlessRejected({ try TextImages(at: path) }) else { continue }
      try verify(data.count > 0, "an empty file is accepted")
      for index in 0..<data.count {
        let lines = data.lines(at: index)
        for line in lines {
          try verify(
            line.corners.isEmpty ? lines.count == 1 : line.corners.count > 2,
            "an outline has too few corners")
          try verify(
            line.corners.allSatisfy { $0.x.isFinite && $0.y.isFinite }, "a corner is not finite")
        }
        _ = data.imagePath(at: index)
      }
    }
  }
}
