/// What one run of a model is to the outside: the model, the input, the answer or the error, and
/// the time it took.
///
/// The command line prints it and a server sends it.
package struct RunRecord: Sendable {
  /// What of a model identifies it.
  package struct ModelIdentity: Sendable, Hashable {
    let id: String
    let version: String
    let backend: String

    /// The identity of an open model.
    package init(_ bundle: ModelBundle) {
      id = bundle.description.id
      version = bundle.description.version
      backend = bundle.backend.rawValue
    }
  }

  /// An error as scripts see it.
  package struct Failure: Error, Sendable, Hashable {
    package let code: String
    package let message: String

    /// An error with a short name and a line.
    package init(code: String, message: String) {
      self.code = code
      self.message = message
    }
  }

  /// A successful run.
  package struct Answer: Sendable {
    package let output: ModelOutput
    package let timings: Timings
    /// What the bundle's task makes of the outputs.
    package var telling: (any TellingAnswer)?
    /// What is doubtful about the outputs, one line each.
    package var notes: [String] = []
    /// Where the pictures among the outputs are, by output.
    package var pictures: [String: PictureReference] = [:]
    /// Where the annotated picture is.
    package var annotated: String?

    /// An answer with its timings.
    package init(_ output: ModelOutput, _ timings: Timings) {
      self.output = output
      self.timings = timings
    }
  }

  /// The model that ran.
  package let model: ModelIdentity
  /// What it ran on, as the user named it.
  package let input: String
  /// What came of it.
  package let result: Result<Answer, Failure>

  /// A record of a run.
  package init(model: ModelIdentity, input: String, result: Result<Answer, Failure>) {
    self.model = model
    self.input = input
    self.result = result
  }
}
