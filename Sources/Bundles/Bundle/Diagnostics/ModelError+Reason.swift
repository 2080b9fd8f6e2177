public import TensorIOJSON

extension ModelError {
  /// The reason for an error: its code, its message, and the values in the message.
  ///
  /// The functions of this type, such as ``wrongCount(expected:actual:)``, create the reasons of the
  /// library. A runtime or task of an application declares its own in the same way:
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// extension ModelError {
  ///   static let deviceLost = Code("device-lost")
  /// }
  ///
  /// func removed(_ name: String) -> ModelError {
  ///   ModelError(.run, .init(ModelError.deviceLost, "the device \(name, as: "device") was removed"))
  /// }
  /// ```
  public struct Reason: Sendable, Hashable {
    /// The code, which is the same for all errors of a kind.
    public let code: Code
    /// The message, in lower case and without a full stop.
    public let message: String
    /// The values of the message by name, an object.
    public let details: JSONValue
    /// All errors and warnings about an invalid document; empty for other reasons.
    public let diagnostics: [Diagnostic]
    /// The text for clients of a server; `nil` if it is the message or a summary, as the code says.
    package let clientMessage: String?

    /// Creates a reason.
    public init(_ code: Code, _ message: Message) {
      self.init(code, message, diagnostics: [])
    }

    package init(
      _ code: Code, _ message: Message, diagnostics: [Diagnostic] = [],
      clientMessage: String? = nil
    ) {
      self.code = code
      self.message = message.text
      details = .object(message.details)
      self.diagnostics = diagnostics
      self.clientMessage = clientMessage
    }

    /// The code of an error in a document: that of the first diagnostic.
    var documentCode: String? {
      code.topic == .document ? diagnostics.errorsOrAll.first?.code : nil
    }
  }
}

extension ModelError {
  /// The identifier of a kind of error, and a pattern that matches its errors.
  public struct Code: Sendable {
    /// The identifier in kebab case; it never changes.
    public let rawValue: String
    /// How a server responds to a request that ends with such an error.
    package let response: Response
    /// What such an error is about.
    package let topic: Topic

    /// Creates a code.
    public init(_ rawValue: String) {
      self.init(rawValue, .summary)
    }

    package init(_ rawValue: String, _ response: Response = .summary, topic: Topic = .other) {
      (self.rawValue, self.response, self.topic) = (rawValue, response, topic)
    }

    /// What an error is about, where diagnostics of a bundle treat it in their own way.
    package enum Topic: String, Sendable {
      /// A document with errors; the code is that of its first diagnostic.
      case document
      /// An archive that breaks a rule.
      case archive
      /// The signature or the manifest of a bundle.
      case trust
      case other
    }

    /// What a client of a server learns about an error.
    ///
    /// A message can name files, libraries or functions of the server; clients receive it only where
    /// it cannot.
    package enum Response: String, Sendable {
      /// A summary of the stage; an invalid request if the stage is `input`.
      case summary
      /// The message, if the stage is `input`: it is about the client's own values.
      case message
      /// As `message`, for values that are too large.
      case tooLarge
      /// A summary of the stage; the server is at fault, even if the stage is `input`.
      case serverError
      /// The client message; the model does not exist.
      case notFound
      /// The client message, or a summary of the stage; a later request may succeed.
      case unavailable
    }
  }
}

extension ModelError.Code: Hashable {
  /// Compares the identifiers.
  public static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
