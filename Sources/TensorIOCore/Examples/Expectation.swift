internal import TensorIOImage

/// What an example says of one output, to be compared with what came out.
struct Expectation {
  /// What should have come out.
  let json: JSONNode
  /// How far a number may be from the one that is expected.
  let tolerance: Float
  /// Where pictures are.
  let bundle: ModelBundle

  /// How what came out differs from what was expected.
  struct Difference: Equatable {
    let expected: String
    let found: String
  }

  /// How a value differs; `nil` when it is what was expected.
  func difference(from value: LayerValue) throws(ModelError) -> Difference? {
    switch value {
    case .numbers(let numbers): difference(from: numbers.doubles)
    case .classification(let classification): difference(from: classification)
    case .image(let image): try difference(from: image)
    case .bytes(let bytes): try difference(from: [bytes])
    case .strings(let strings): try difference(from: strings)
    case .list: Difference(expected: json.summary, found: value.kindName)
    }
  }
}

// MARK: Numbers

extension Expectation {
  private func difference(from numbers: [Double]) -> Difference? {
    guard let expected = json.flatNumbers else {
      return Difference(expected: json.summary, found: "\(numbers.count) numbers")
    }
    guard expected.count == numbers.count else {
      return Difference(expected: "\(expected.count) numbers", found: "\(numbers.count)")
    }
    let apart = numbers.indices.filter { !isClose(numbers[$0], expected[$0]) }
    guard let first = apart.first else { return nil }
    let others = apart.count > 1 ? ", and \(apart.count - 1) others differ too" : ""
    return Difference(
      expected: "\(expected[first]) as number \(first), within \(tolerance)",
      found: "\(numbers[first])" + others)
  }

  private func isClose(_ number: Double, _ expected: Double) -> Bool {
    // A number that is none is written as null.
    guard expected.isFinite else { return !number.isFinite }
    return abs(number - expected) <= Double(tolerance) + expected.magnitude * Self.singlePrecision
  }

  /// What a number may lose when it is written in the digits of single precision.
  private static let singlePrecision = 1e-7

  private func difference(from classification: Classification) -> Difference? {
    if let label = json.string { return difference(from: classification, best: label) }
    guard let members = json.members else {
      return difference(from: classification.scores.map(Double.init))
    }
    for member in members {
      let score = classification[member.name].map(Double.init)
      let expected = member.value.double
      if let score, let expected, isClose(score, expected) { continue }
      return Difference(
        expected: "\(member.value.source) for \(member.key.quotation), within \(tolerance)",
        found: score.map { "\($0)" } ?? "no such label")
    }
    return nil
  }

  private func difference(from classification: Classification, best label: String) -> Difference? {
    let best = classification.top(1).first?.label
    guard best != label else { return nil }
    return Difference(
      expected: "\(json.quotation) first", found: best.map { "\"\($0)\"" } ?? "no label")
  }
}

// MARK: Bytes and pictures

extension Expectation {
  private func difference(from strings: [[UInt8]]) throws(ModelError) -> Difference? {
    let texts = json.elements.map(Array.init) ?? [json]
    var expected: [[UInt8]] = []
    for text in texts.compactMap(\.string) {
      expected.append(
        text.hasPrefix(ModelBundle.base64Prefix) ? try bundle.exampleBytes(text) : Array(text.utf8))
    }
    guard expected != strings else { return nil }
    return Difference(
      expected: json.summary, found: strings.count == 1 ? "other bytes" : "other texts")
  }

  /// A pixel may always be off by one: runtimes round as their processors do.
  private func difference(from image: ImageBuffer) throws(ModelError) -> Difference? {
    guard let name = json.string else {
      return Difference(expected: json.summary, found: "a picture")
    }
    let expected = try picture(name)
    guard [expected.width, expected.height] == [image.width, image.height] else {
      return Difference(
        expected: "\(expected.width) by \(expected.height) pixels",
        found: "\(image.width) by \(image.height)")
    }
    let pairs = zip(expected.converted(to: .rgb).pixels, image.converted(to: .rgb).pixels)
    let furthest = pairs.map { abs(Int($0) - Int($1)) }.max() ?? 0
    guard Float(furthest) > max(1, tolerance) else { return nil }
    return Difference(
      expected: "pixels within \(max(1, tolerance))", found: "one that is off by \(furthest)")
  }

  private func picture(_ name: String) throws(ModelError) -> ImageBuffer {
    let bytes = try bundle.picture(name)
    do throws(ImageError) {
      return try ImageBuffer(decoding: bytes)
    } catch {
      throw ModelError(.bundle, .picture(error), file: name)
    }
  }
}

extension JSONNode {
  /// The numbers of a number or of a list, however nested; `nil` when anything else is there.
  ///
  /// Truth values are 1 and 0, and `null` is a number that is none.
  fileprivate var flatNumbers: [Double]? {
    switch kind {
    case .number: return double.map { [$0] }
    case .boolean: return bool.map { [$0 ? 1 : 0] }
    case .null: return [.nan]
    case .array:
      var numbers: [Double] = []
      for element in children {
        guard let part = element.flatNumbers else { return nil }
        numbers += part
      }
      return numbers
    case .object, .string: return nil
    }
  }
}
