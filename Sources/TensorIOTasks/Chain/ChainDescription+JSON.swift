public import TensorIOCore

extension ChainDescription {
  /// The name of the description in the folder of every chain.
  public static let fileName = BundleFolder.chainName

  /// Reads a `chain.json`, or says what is wrong with it.
  public init(json bytes: [UInt8]) throws(ModelError) {
    let report = ChainReport(reading: bytes)
    guard let description = report.description else {
      throw ModelError(.bundle, .invalidDescription(report.problems))
    }
    self = description
  }
}

/// What came of reading a `chain.json`.
public struct ChainReport: Sendable {
  /// What the document says; `nil` when anything in it is wrong.
  public let description: ChainDescription?
  /// All that is wrong or doubtful, in the order of the text.
  public let problems: [Problem]
  /// The document, where it is JSON at all.
  public let document: JSONDocument?

  /// Reads a `chain.json`, and says all that is wrong with it at once.
  public init(reading bytes: [UInt8]) {
    do throws(JSONError) {
      let document = try JSONDocument(
        parsing: bytes, limits: .description, dialect: .description)
      var reading = ChainReading()
      let description = reading.description(document.root)
      self.document = document
      self.description = reading.log.hasErrors ? nil : description
      problems = reading.log.problems
    } catch {
      (description, document) = (nil, nil)
      problems = [Problem(error)]
    }
  }
}
