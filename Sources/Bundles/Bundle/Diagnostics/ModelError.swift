public import TensorIOJSON

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error thrown while opening, validating or running a model.
///
/// Functions of the library throw it as a typed error, so that a `catch` needs no cast. Its codes are
/// patterns:
///
/// ```swift
/// import TensorIO
///
/// func open(_ path: String) -> Model? {
///   do {
///     return try Model(at: path)
///   } catch ModelError.missingBundle {
///     print("no bundle at \(path)")
///   } catch {
///     print(error)
///   }
///   return nil
/// }
/// ```
///
/// If a `do` block throws several types, such as ``ImageError`` too, its `catch` receives an `any
/// Error`, and `localizedDescription` is the same text as ``description``.
///
/// The stage determines the exit code of a command and, with the code, the status of an HTTP response.
public struct ModelError: Error, Sendable, Equatable {
  /// The stage at which an operation failed.
  public enum Stage: String, Sendable, CaseIterable {
    /// Opening the bundle's folder or reading its description.
    case bundle
    /// Loading the runtime library, or the model in it.
    case runtime
    /// Converting the application's values to tensors.
    case input
    /// Running the model.
    case run
    /// Converting tensors to the application's values.
    case output
  }

  /// The stage at which the error occurred.
  public let stage: Stage
  /// The reason for the error, with its details.
  public let reason: Reason
  /// The name of the layer being processed, if any.
  public var layer: String?
  /// The bundle or file being processed, if known.
  public var file: String?
  /// The index of the batch item being processed, if any.
  public var item: Int?

  /// Creates an error.
  public init(_ stage: Stage, _ reason: Reason, layer: String? = nil, file: String? = nil) {
    self.stage = stage
    self.reason = reason
    self.layer = layer
    self.file = file
  }

  /// Returns a copy with the layer set, unless the error already names one.
  public func at(layer name: String) -> ModelError {
    var error = self
    error.layer = layer ?? name
    return error
  }

  /// Returns a copy with the file set, unless the error already names one.
  public func `in`(file path: String) -> ModelError {
    var error = self
    error.file = file ?? path
    return error
  }

  /// Returns a copy with the batch item set, unless the error already names one.
  public func at(item index: Int) -> ModelError {
    var error = self
    error.item = item ?? index
    return error
  }
}

extension ModelError {
  /// The stable, kebab-case identifier of the reason, for use in scripts.
  ///
  /// It is that of the first diagnostic if the error is about a document with errors.
  public var code: String { reason.documentCode ?? reason.code.rawValue }

  /// The values of the message by name, such as `expected` and `actual`.
  public var details: JSONValue { reason.details }

  /// Returns a value of the message that is a text; `nil` if there is none.
  package func text(_ name: String) -> String? { details[name]?.string }

  /// Returns a value of the message that is a list of texts; `nil` if there is none.
  package func texts(_ name: String) -> [String]? {
    details[name]?.elements?.compactMap(\.string)
  }

  /// Returns a value of the message that is an integer; `nil` if there is none.
  package func number(_ name: String) -> Int? { details[name]?.int }

  /// All errors and warnings about an invalid document; empty for other errors.
  public var diagnostics: [Diagnostic] { reason.diagnostics }

  /// Returns the diagnostics if the error has a code, otherwise `nil`.
  package func diagnostics(of code: Code) -> [Diagnostic]? { code ~= self ? diagnostics : nil }
}

extension ModelError: CustomStringConvertible, LocalizedError {
  /// The description, which `localizedDescription` returns.
  public var errorDescription: String? { description }

  /// A command or setting that fixes the error, if there is one.
  public var recoverySuggestion: String? { text("suggestion") }

  /// The error on one line: file, item, layer and message.
  public var description: String {
    let item = item.map { "item \($0 &+ 1)" }
    let location = [file, item, layer.map { "layer '\($0)'" }].compactMap(\.self)
    return (location + [message]).joined(separator: ": ").withoutLineBreaks
  }

  /// The message, without the location.
  public var message: String {
    if reason.code == ModelError.missingFile, stage == .bundle, let name = details["name"]?.string {
      return "the bundle has no file '\(name)'"
    }
    return reason.message
  }
}

extension ModelError.Code {
  /// Matches an error with the code, as in `catch ModelError.timedOut`.
  public static func ~= (code: ModelError.Code, error: any Error) -> Bool {
    (error as? ModelError)?.reason.code == code
  }
}
