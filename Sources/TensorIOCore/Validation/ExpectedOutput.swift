public import TensorIOBundle
import TensorIOImage
import TensorIOJSON

/// What an example says of one output, to be compared with what came out.
struct ExpectedOutput {
  /// What should have come out.
  let json: JSONNode
  /// How far a number may be from the one that is expected.
  let tolerance: Float
  /// Where pictures are.
  let bundle: ModelBundle

  /// How what came out differs from what was expected.
  struct Mismatch: Equatable {
    let expected: String
    let found: String
  }

  /// How a value differs; `nil` when it is what was expected.
  func mismatch(with value: LayerValue) throws(ModelError) -> Mismatch? {
    switch value {
    case .numbers(let numbers): mismatch(with: numbers.doubles)
    case .classification(let classification): mismatch(with: classification)
    case .image(let image): try mismatch(with: image)
    case .bytes(let bytes): try mismatch(with: [bytes])
    case .strings(let strings): try mismatch(with: strings)
    case .list: Mismatch(expected: json.summary, found: value.kindDescription)
    }
  }
}

// MARK: Numbers

extension ExpectedOutput {
  private func mismatch(with numbers: [Double]) -> Mismatch? {
    guard let expected = json.flatNumbers else {
      return Mismatch(expected: json.summary, found: "\(numbers.count) numbers")
    }
    guard expected.count == numbers.count else {
      return Mismatch(expected: "\(expected.count) numbers", found: "\(numbers.count)")
    }
    let apart = numbers.indices.filter { !isClose(numbers[$0], expected[$0]) }
    guard let first = apart.first else { return nil }
    let others = apart.count > 1 ? ", and \(apart.count - 1) others differ too" : ""
    return Mismatch(
      expected: "\(expected[first]) as number \(first), within \(tolerance)",
      found: "\(numbers[first])" + others)
  }

  private func isClose(_ number: Double, _ expected: Double) -> Bool {
    // A number that is none is written as null.
    guard expected.isFinite else { return !number.isFinite }
    return abs(number - expected) <= Double(tolerance) + expected.magnitude * Self.singlePrecisionEpsilon
  }

  /// What a number may lose when it is written in the digits of single precision.
  private static let singlePrecisionEpsilon = 1e-7

  private func mismatch(with classification: Classification) -> Mismatch? {
    if let label = json.string { return mismatch(with: classification, expectedTop: label) }
    guard let members = json.members else {
      return mismatch(with: classification.scores.map(Double.init))
    }
    for member in members {
      let score = classification[member.name].map(Double.init)
      let expected = member.value.double
      if let score, let expected, isClose(score, expected) { continue }
      return Mismatch(
        expected: "\(member.value.source) for \(member.key.excerpt), within \(tolerance)",
        found: score.map { "\($0)" } ?? "no such label")
    }
    return nil
  }

  private func mismatch(with classification: Classification, expectedTop label: String) -> Mismatch? {
    let best = classification.top(1).first?.label
    guard best != label else { return nil }
    return Mismatch(
      expected: "\(json.excerpt) first", found: best.map { "\"\($0)\"" } ?? "no label")
  }
}

// MARK: Bytes and pictures

extension ExpectedOutput {
  private func mismatch(with strings: [[UInt8]]) throws(ModelError) -> Mismatch? {
    let texts = json.elements.map(Array.init) ?? [json]
    var expected: [[UInt8]] = []
    for text in texts.compactMap(\.string) {
      expected.append(
        text.hasPrefix(ModelBundle.base64Prefix) ? try bundle.exampleBytes(text) : Array(text.utf8))
    }
    guard expected != strings else { return nil }
    return Mismatch(
      expected: json.summary, found: strings.count == 1 ? "other bytes" : "other texts")
  }

  /// A pixel may always be off by one: runtimes round as their processors do.
  private func mismatch(with actual: ImageBuffer) throws(ModelError) -> Mismatch? {
    guard let name = json.string else {
      return Mismatch(expected: json.summary, found: "a picture")
    }
    let expected = try image(name)
    guard [expected.width, expected.height] == [actual.width, actual.height] else {
      return Mismatch(
        expected: "\(expected.width) by \(expected.height) pixels",
        found: "\(actual.width) by \(actual.height)")
    }
    let pairs = zip(expected.converted(to: .rgb).pixels, actual.converted(to: .rgb).pixels)
    let furthest = pairs.map { abs(Int($0) - Int($1)) }.max() ?? 0
    guard Float(furthest) > max(1, tolerance) else { return nil }
    return Mismatch(
      expected: "pixels within \(max(1, tolerance))", found: "one that is off by \(furthest)")
  }

  private func image(_ name: String) throws(ModelError) -> ImageBuffer {
    let bytes = try bundle.imageBytes(name)
    do throws(ImageError) {
      return try ImageBuffer(decoding: bytes)
    } catch {
      throw ModelError(.bundle, .image(error), file: name)
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

extension Model {
  /// Runs the bundle's examples and says where something else comes out than they say.
  public func exampleDiagnostics() -> [Diagnostic] {
    bundle.description.examples.enumerated().flatMap { index, example in
      diagnostics(for: example, at: "/examples/\(index)")
    }
  }

  private func diagnostics(for example: ModelExample, at path: String) -> [Diagnostic] {
    do throws(ModelError) {
      let output = try run(try bundle.input(of: example))
      var problems: [Diagnostic] = []
      for layer in output.layers {
        if let problem = try diagnostic(for: layer, in: example, at: path) { problems.append(problem) }
      }
      return problems
    } catch {
      return [
        Diagnostic(
          .error, .exampleFailed, path: path, expected: "an example that runs", found: error.code,
          message: "The example does not run: \(error).")
      ]
    }
  }

  private func diagnostic(
    for layer: ModelOutput.Layer, in example: ModelExample, at path: String
  ) throws(ModelError) -> Diagnostic? {
    guard let text = example.output[layer.name] else { return nil }
    let expectation = ExpectedOutput(
      json: try bundle.exampleValue(text), tolerance: example.tolerance, bundle: bundle)
    guard let difference = try expectation.mismatch(with: layer.value) else { return nil }
    return Diagnostic(
      .error, .exampleMismatch, path: path + "/output/" + JSONPointer.escape(layer.name),
      expected: difference.expected, found: difference.found,
      message: "The output '\(layer.name)' is not what the example says.")
  }
}
