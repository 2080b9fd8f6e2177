public import TensorIOBundle
import TensorIOImage
import TensorIOJSON

/// The expected value of an output in an example.
struct ExpectedOutput {
  /// The expected value.
  let json: JSONNode
  /// The largest accepted difference between two numbers.
  let tolerance: Float
  /// The bundle that contains the images of the example.
  let bundle: ModelBundle

  /// A difference between the expected and the actual output.
  struct Mismatch: Equatable {
    let expected: String
    let found: String
  }

  /// Returns how a value differs from the expected one; `nil` if they match.
  func mismatch(with value: LayerValue) throws(ModelError) -> Mismatch? {
    switch value {
    case .numbers(let numbers): mismatch(with: numbers.doubles)
    case .classification(let classification): mismatch(with: classification)
    case .image(let image): try mismatch(with: image)
    case .bytes(let bytes): try mismatch(with: [bytes])
    case .strings(let strings): try mismatch(with: strings.bytes)
    case .tokens, .audio, .list: Mismatch(expected: json.summary, found: value.kindDescription)
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
    let differing = numbers.indices.filter { !isClose(numbers[$0], expected[$0]) }
    guard let first = differing.first else { return nil }
    let others = differing.count > 1 ? "; \(differing.count) numbers differ in total" : ""
    return Mismatch(
      expected: "\(expected[first]) within \(tolerance) at index \(first)",
      found: "\(numbers[first])" + others)
  }

  private func isClose(_ number: Double, _ expected: Double) -> Bool {
    // Non-finite numbers are written as null.
    guard expected.isFinite else { return !number.isFinite }
    let margin = Double(tolerance) + expected.magnitude * Self.singlePrecisionEpsilon
    return abs(number - expected) <= margin
  }

  /// The relative error of a number written with the digits of single precision.
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
        expected: "\(member.value.source) within \(tolerance) for \(member.key.excerpt)",
        found: score.map { "\($0)" } ?? "no such label")
    }
    return nil
  }

  private func mismatch(with classification: Classification, expectedTop label: String) -> Mismatch?
  {
    let best = classification.top(1).first?.label
    guard best != label else { return nil }
    return Mismatch(
      expected: "\(json.excerpt) as the top label", found: best.map { "\"\($0)\"" } ?? "no label")
  }
}

// MARK: Bytes and images

extension ExpectedOutput {
  private func mismatch(with strings: [[UInt8]]) throws(ModelError) -> Mismatch? {
    guard let texts = json.flatStrings else {
      return Mismatch(
        expected: json.summary, found: strings.count == 1 ? "bytes" : "\(strings.count) strings")
    }
    var expected: [[UInt8]] = []
    for text in texts {
      expected.append(
        text.hasPrefix(ModelBundle.base64Prefix) ? try bundle.exampleBytes(text) : Array(text.utf8))
    }
    guard expected != strings else { return nil }
    return Mismatch(
      expected: json.summary,
      found: strings.count == 1 ? "different bytes" : "different strings")
  }

  /// Compares images.
  ///
  /// A difference of 1 is always accepted, since runtimes round differently.
  private func mismatch(with actual: ImageBuffer) throws(ModelError) -> Mismatch? {
    guard let name = json.string else {
      return Mismatch(expected: json.summary, found: "an image")
    }
    let expected = try image(name)
    guard [expected.width, expected.height] == [actual.width, actual.height] else {
      return Mismatch(
        expected: "\(expected.width) by \(expected.height) pixels",
        found: "\(actual.width) by \(actual.height)")
    }
    let pairs = zip(expected.converted(to: .rgb).pixels, actual.converted(to: .rgb).pixels)
    let difference = pairs.map { abs(Int($0) - Int($1)) }.max() ?? 0
    guard Float(difference) > max(1, tolerance) else { return nil }
    return Mismatch(
      expected: "pixels within \(max(1, tolerance))", found: "a difference of \(difference)")
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
  /// The numbers of a number or nested list; `nil` if there is any other value.
  ///
  /// Booleans are 1 and 0, and `null` is NaN.
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

extension JSONNode {
  /// The strings of a string or nested list; `nil` if there is any other value.
  fileprivate var flatStrings: [String]? {
    if let string { return [string] }
    guard kind == .array else { return nil }
    var strings: [String] = []
    for element in children {
      guard let part = element.flatStrings else { return nil }
      strings += part
    }
    return strings
  }
}

extension Model {
  /// Runs the bundle's examples and returns an error for each output that differs from the expected
  /// one.
  public func exampleDiagnostics() -> [Diagnostic] {
    bundle.description.examples.enumerated().flatMap { index, example in
      diagnostics(for: example, at: "/examples/\(index)")
    }
  }

  private func diagnostics(for example: ModelExample, at path: String) -> [Diagnostic] {
    do throws(ModelError) {
      let output = try run(try bundle.input(of: example))
      var diagnostics: [Diagnostic] = []
      for layer in output.layers {
        if let diagnostic = try self.diagnostic(for: layer, in: example, at: path) {
          diagnostics.append(diagnostic)
        }
      }
      return diagnostics
    } catch {
      return [
        Diagnostic(
          .error, .exampleFailed, path: path, expected: "an example that runs", found: error.code,
          message: "The example failed: \(error).")
      ]
    }
  }

  private func diagnostic(
    for layer: ModelOutput.Layer, in example: ModelExample, at path: String
  ) throws(ModelError) -> Diagnostic? {
    guard let text = example.outputTexts[layer.name] else { return nil }
    let expectation = ExpectedOutput(
      json: try bundle.exampleValue(text), tolerance: example.tolerance, bundle: bundle)
    guard let difference = try expectation.mismatch(with: layer.value) else { return nil }
    return Diagnostic(
      .error, .exampleMismatch, path: path + "/output/" + JSONPointer.escape(layer.name),
      expected: difference.expected, found: difference.found,
      message: "The output '\(layer.name)' differs from the example.")
  }
}
