/// What a model's result depends on.
public struct Explanation: Sendable, Hashable {
  /// How it was found.
  public enum Method: String, Sendable, Hashable, CaseIterable {
    /// Windows of an image are covered with its mean color.
    case occlusion
    /// Random parts of an image are visible (randomized input sampling).
    case rise
    /// Words of a text are left out.
    case deletion
    /// Numbers are exchanged with those of a background (Shapley values).
    case shapley
    /// The values of a number are exchanged between labeled items (``PermutationImportance``).
    case permutation

    /// The methods for images, the default first.
    static let forImages: [Self] = [.occlusion, .rise]
    /// The methods for texts.
    static let forTexts: [Self] = [.deletion]
    /// The methods for the numbers of an item.
    static let forNumbers: [Self] = [.shapley]
  }

  /// A part of the input and its importance.
  public struct Part: Sendable, Hashable {
    /// The name of the number, or the text.
    public let name: String
    /// By how much the part raises the score.
    public let importance: Double
    /// The value of the number; `nil` for a text.
    public var value: Double?
  }

  /// The importance of each pixel of an image.
  public struct HeatMap: Sendable, Hashable {
    /// The width.
    public let width: Int
    /// The height.
    public let height: Int
    /// By how much each pixel raises the score, in rows.
    public let values: [Double]
  }

  /// How it was found.
  public let method: Method
  /// The number that is explained, such as the score of a label.
  public let target: String
  /// The score of the item.
  public let score: Double
  /// The score without the item: of a text without words, or the mean over the background; `nil` for images.
  public package(set) var baseScore: Double?
  /// The importance of pixels; `nil` for other inputs.
  public package(set) var heatMap: HeatMap?
  /// The words or numbers, in the order of the input.
  public package(set) var parts: [Part] = []
  /// The number of runs of the model.
  public package(set) var runCount: Int

  init(_ method: Method, _ target: ExplainedScore, score: Double, runCount: Int) {
    (self.method, self.target, self.score) = (method, target.name, score)
    self.runCount = runCount
  }
}
