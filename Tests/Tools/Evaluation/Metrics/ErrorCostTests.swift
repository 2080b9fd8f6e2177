import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOData
@testable import TensorIOEvaluation

/// What errors cost, and the thresholds that follow from it.
@Suite struct ErrorCostTests {
  private static let costs = ErrorCosts([
    ("tumor", "healthy", 50), ("healthy", "*", 2), ("*", "(none)", 0.5), ("cyst", "cyst", -1),
  ])

  @Test func `A row with fewer wildcards counts`() {
    let costs = Self.costs
    #expect(costs.cost(of: "healthy", truth: "tumor") == 50)
    #expect(costs.cost(of: "tumor", truth: "healthy") == 2)
    #expect(costs.cost(of: "(none)", truth: "cyst") == 0.5)
    #expect(costs.cost(of: "cyst", truth: "tumor") == 1)
    #expect(costs.cost(of: "tumor", truth: "tumor") == 0)
    #expect(costs.cost(of: "cyst", truth: "cyst") == -1)
    #expect(ErrorCosts([("*", "*", 7)]).cost(of: "a", truth: "b") == 7)
    #expect(ErrorCosts([("*", "*", 7)]).cost(of: "a", truth: "a") == 0)
    #expect(costs.hasNone && !ErrorCosts().hasNone)
  }

  @Test func `A file has a row for each cost`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "cost,truth,prediction\n50,tumor,healthy\n2,healthy,*\n0.5,*,(none)\n-1,cyst,cyst\n",
      to: "costs.csv")
    #expect(try ErrorCosts(at: path) == Self.costs)
    try Self.costs.throwIfUnknown(among: ["tumor", "healthy", "cyst"])
    #expect(throws: ModelError.self) { try Self.costs.throwIfUnknown(among: ["tumor", "healthy"]) }
  }

  @Test(arguments: [
    ("truth,prediction\na,b\n", "missing column or key 'cost'"),
    ("truth,prediction,cost\n", ""),
    ("truth,prediction,cost\na,b\n", "row"),
    ("truth,prediction,cost\na,b,much\n", "not a number"),
    ("truth,prediction,cost\na,b,inf\n", "number is not finite"),
    ("truth,prediction,cost\na,b,1\na,b,2\n", "the cost of 'a, b' has several rows"),
  ])
  func `An invalid file is an error with its line`(_ text: String, _ message: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(text, to: "costs.csv")
    let error = #expect(throws: ModelError.self) { try ErrorCosts(at: path) }
    #expect("\(try #require(error))".contains(message), "\(String(describing: error))")
  }

  @Test func `The threshold has the lowest cost of all`() throws {
    // For each item: score, whether it is positive. Missing a positive costs 5, a false alarm 1.
    let items: [(Double, Bool)] = [
      (0.9, true), (0.8, false), (0.7, true), (0.6, false), (0.6, true), (0.3, false), (0.2, true),
      (0.1, false),
    ]
    var tally = CostTally(ErrorCosts())
    for (score, isPositive) in items {
      tally.add(0, without: isPositive ? 5 : 0, [.init(score: score, cost: isPositive ? -5 : 1)])
    }
    func cost(_ threshold: Double) -> Double {
      items.reduce(0) { sum, item in
        sum + (item.0 >= threshold ? (item.1 ? 0 : 1) : (item.1 ? 5 : 0))
      } / Double(items.count)
    }
    let best = try #require(tally.best)
    let lowest = try #require(Set(items.map(\.0)).map(cost).min())
    #expect(best.cost == lowest && cost(best.threshold) == lowest)
    #expect(best.threshold == 0.2)
    // A tie, and no prediction that is worth its cost.
    var tie = CostTally(ErrorCosts())
    tie.add(0, without: 1, [.init(score: 0.5, cost: -1), .init(score: 0.4, cost: 0)])
    #expect(tie.best?.threshold == 0.5)
    var useless = CostTally(ErrorCosts())
    useless.add(3, without: 0, [.init(score: 0.5, cost: 3), .init(score: .nan, cost: -9)])
    #expect(useless.best == nil && useless.metric?.value == 3)
    var unknown = CostTally(ErrorCosts())
    unknown.add(1, without: nil, [.init(score: 0.5, cost: -1)])
    unknown.add(2, without: 5, [.init(score: 0.5, cost: -1)])
    #expect(unknown.best == nil && unknown.metric?.value == 1.5)
  }

  /// Boxes are numbered; overlaps are given.
  private static func confusion(
    _ predictions: [ObjectConfusion.Prediction], _ objects: [ObjectConfusion.Object],
    _ overlaps: [[Double]], costs: ErrorCosts? = nil, threshold: Double = 0.5
  ) throws -> ObjectConfusion {
    var confusion = ObjectConfusion(threshold: threshold, labels: ["cat", "dog"])
    if let costs { try confusion.use(costs) }
    confusion.add(predictions, objects) { overlaps[$0][$1] }
    return confusion
  }

  private static func cells(_ confusion: ObjectConfusion) -> [String: Int] {
    let result = confusion.result ?? ConfusionResult(labels: [], cells: [])
    return Dictionary(
      uniqueKeysWithValues: result.cells.map {
        ("\(result.labels[$0.actual]) \(result.labels[$0.predicted])", $0.count)
      })
  }

  @Test func `Objects are matched with predictions of any class`() throws {
    let predictions: [ObjectConfusion.Prediction] = [
      .init(category: 1, score: 0.6), .init(category: 0, score: 0.9),
      .init(category: 0, score: 0.7),
      .init(category: 1, score: 0.55), .init(category: 1, score: 0.2),
    ]
    let objects: [ObjectConfusion.Object] = [
      .init(category: 0, isCrowd: false), .init(category: 0, isCrowd: false),
      .init(category: 1, isCrowd: false), .init(category: 0, isCrowd: true),
    ]
    // The dog is seen as a cat, a cat is found, a cat is missed, one is invented, and one is in a crowd.
    let overlaps = [
      [0, 0, 0.49, 0], [0.8, 0.6, 0, 0], [0, 0, 0.9, 0], [0, 0, 0, 0.9], [0, 0.9, 0, 0],
    ]
    let confusion = try Self.confusion(predictions, objects, overlaps)
    let cells = [
      "cat cat": 1, "dog cat": 1, "(background) dog": 1, "cat (background)": 1,
    ]
    #expect(Self.cells(confusion) == cells && confusion.costs == nil)
    let costs = ErrorCosts([
      ("dog", "cat", 3), ("*", "(background)", 10), ("(background)", "*", 0.5),
    ])
    let costed = try Self.confusion(predictions, objects, overlaps, costs: costs)
    #expect(Self.cells(costed) == cells)
    #expect(costed.costs?.items == [3 + 10 + 0.5])
    // With the last prediction, the missed cat is a dog: 1 instead of 10.
    let best = try #require(costed.costs?.best)
    #expect(best.threshold == 0.2 && best.cost == 3 + 0.5 + 1)
    let result = try #require(costed.result).errorCosts(costs)
    #expect(result.map(\.total) == [10, 3, 0.5])
    #expect(result[0].truth == "cat" && result[0].prediction == "(background)")
  }

  @Test(arguments: 0..<20)
  func `The cost at each threshold is that of an evaluation with it`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let predictions = (0..<12).map { _ in
      ObjectConfusion.Prediction(
        category: Int.random(in: 0...1, using: &random),
        score: Double(Int.random(in: 1...9, using: &random)) / 10)
    }
    let objects = (0..<5).map { index in
      ObjectConfusion.Object(category: Int.random(in: 0...1, using: &random), isCrowd: index == 4)
    }
    let overlaps = predictions.map { _ in
      objects.map { _ in Double.random(in: 0...1, using: &random) }
    }
    let costs = ErrorCosts([
      ("*", "(background)", 4), ("(background)", "*", 1.5), ("cat", "dog", 3),
    ])
    func cost(_ threshold: Double) throws -> Double {
      try #require(
        try Self.confusion(predictions, objects, overlaps, costs: costs, threshold: threshold)
          .costs?.items.first)
    }
    let all = try Set(predictions.map(\.score)).map(cost)
    let none = try cost(2)
    let best = try Self.confusion(predictions, objects, overlaps, costs: costs).costs?.best
    if let lowest = all.min(), lowest < none {
      #expect(abs(try #require(best).cost - lowest) < 1e-9)
      #expect(abs(try cost(try #require(best).threshold) - lowest) < 1e-9)
    } else {
      #expect(best == nil)
    }
  }
}
