public import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// Questions about texts with their answers, in the format of SQuAD.
///
/// ```json
/// {"data": [{"paragraphs": [{"context": "Ada wrote it in 1843.", "qas": [
///   {"id": "1", "question": "Who wrote it?", "answers": [{"text": "Ada", "answer_start": 0}]}]}]}]}
/// ```
///
/// A question without answers, which SQuAD 2.0 marks with `is_impossible`, has no answer in its text.
public struct QuestionDataset: IndexedDataset {
  /// A question about a text.
  public struct Question: Sendable, Hashable {
    /// The identifier in the file.
    public let id: String
    /// The question.
    public let text: String
    /// The text that contains the answer.
    public let context: String
    /// The correct answers; empty if the text does not answer the question.
    public let answers: [String]
  }

  /// The path of the file.
  public let path: String
  /// Always empty, because questions have no labels.
  public var labels: [String] { [] }
  /// Always empty, because a file with an error cannot be opened.
  public var errors: [Diagnostic] { [] }
  /// Always empty.
  public var warnings: [Diagnostic] { [] }

  private var questions: [Question] = []

  /// Opens a file with questions.
  ///
  /// - Throws: `ModelError` if the file is not in the format of SQuAD.
  public init(at path: String) throws(ModelError) {
    self.path = path
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      let bytes = try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, stage: .input)
      do throws(LocatedDiagnostic) {
        questions = try Self.questions(JSONObjectReader(JSONNode(parsingLocated: bytes)))
      } catch {
        log.add(error)
      }
      if questions.isEmpty { log.addEmptyDataError() }
      try log.throwIfAny()
    } catch {
      throw error.in(file: path)
    }
  }

  private static func questions(
    _ root: JSONObjectReader
  ) throws(LocatedDiagnostic) -> [Question] {
    var questions: [Question] = []
    for article in try root.elements("data") {
      for paragraph in try JSONObjectReader(article).elements("paragraphs") {
        let reader = try JSONObjectReader(paragraph)
        let context = try reader.string("context")
        for element in try reader.elements("qas") {
          let question = try JSONObjectReader(element)
          let answers = question.has("answers") ? try self.answers(question) : []
          questions.append(
            Question(
              id: try question.string("id"), text: try question.string("question"),
              context: context, answers: answers))
        }
      }
    }
    return questions
  }

  private static func answers(
    _ question: JSONObjectReader
  ) throws(LocatedDiagnostic) -> [String] {
    guard try !question.bool("is_impossible") else { return [] }
    var answers: [String] = []
    for answer in try question.elements("answers") {
      answers.append(try JSONObjectReader(answer).string("text"))
    }
    return answers
  }

  /// Returns whether a file begins like one with questions.
  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    guard kind == .file, path.hasFileExtension(in: ["json"]) else { return false }
    return String(decoding: FilePrefix.bytes(of: path), as: UTF8.self).contains("\"paragraphs\"")
  }
}

// MARK: Items

extension QuestionDataset {
  /// The number of questions.
  public var count: Int { questions.count }

  /// Returns the identifier of a question.
  public func name(at index: Int) -> String { questions[index].id }

  /// Returns a question.
  public func question(at index: Int) -> Question { questions[index] }

  /// Returns an empty array, because questions have no labels.
  public func labelIndices(at index: Int) -> [Int] { [] }

  /// Returns `nil`, because questions are not assigned to splits.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// Returns `nil`, because a file with an error cannot be opened.
  public func error(at index: Int) -> Diagnostic? { nil }

  /// Returns the questions at some indices, in that order.
  public func selecting(_ indexes: [Int]) -> QuestionDataset {
    var subset = self
    subset.questions = indexes.map { questions[$0] }
    return subset
  }
}
