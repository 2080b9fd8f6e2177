import TensorIOJSON
import TensorIOServer

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A bundle that was drafted for a model without a description, to be reviewed before it is imported.
package struct DraftedBundle: Sendable {
  /// A value of the description that was guessed.
  package struct Guess: Sendable {
    /// The location in the description, as a JSON Pointer.
    package let path: String
    /// The value, as text.
    package let value: String
    /// The reason to review it.
    package let reason: String

    /// Creates a guess.
    package init(path: String, value: String, reason: String) {
      (self.path, self.value, self.reason) = (path, value, reason)
    }
  }

  private let description: [UInt8]
  private let modelFile: String
  private let assets: [(name: String, bytes: [UInt8])]
  private let guesses: [Guess]
  private let failure: String?

  /// Creates a drafted bundle.
  ///
  /// - Parameters:
  ///   - description: The bytes of `model.json`.
  ///   - modelFile: The name of the model in the bundle.
  ///   - assets: The files of the folder `assets`, such as labels.
  ///   - guesses: What should be reviewed.
  ///   - failure: Why the bundle could not be run on generated values; `nil` if it could.
  package init(
    description: [UInt8], modelFile: String, assets: [(name: String, bytes: [UInt8])],
    guesses: [Guess], failure: String?
  ) {
    (self.description, self.modelFile, self.assets) = (description, modelFile, assets)
    (self.guesses, self.failure) = (guesses, failure)
  }

  /// The response to the request that drafted it.
  var response: HTTPResponse { .jsonObject { writeMembers(to: &$0) } }

  /// Writes the members of the response.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("description", String(decoding: description, as: UTF8.self))
    writer.member("model_file", modelFile)
    writer.member("assets", objects: assets) { writer, asset in
      writer.member("name", asset.name)
      writer.member("data", Data(asset.bytes).base64EncodedString())
    }
    writer.member("guesses", objects: guesses) { writer, guess in
      writer.member("path", guess.path)
      writer.member("value", guess.value)
      writer.member("reason", guess.reason)
    }
    writer.member("failure", orNull: failure)
  }
}
