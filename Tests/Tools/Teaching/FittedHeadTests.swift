import TensorIOTestSupport
import Testing

@testable import TensorIOTeaching

/// The learner, compared with `Models/make_teaching_goldens.py`, whose weights equal those of scikit-learn.
@Suite struct FittedHeadTests {
  private static let golden = try? JSONTree(
    contentsOf: ProjectFiles.path("Tests/Fixtures/Teaching/goldens.json"))

  private let embeddings: [[Float]]
  private let classes: [Int]

  init() throws {
    let golden = try #require(Self.golden)
    embeddings = (golden["embeddings"]?.array ?? []).map { ($0.numbers ?? []).map(Float.init) }
    classes = (golden["classes"]?.numbers ?? []).map { Int($0) }
    try #require(embeddings.count == 18 && classes.count == 18)
  }

  private var unit: Matrix {
    Matrix(columns: 8, values: embeddings.joined().map(Double.init)).normalized
  }

  @Test(arguments: [0.1, 10.0, 1000.0])
  func `Weights equal those of scikit-learn`(_ regularization: Double) throws {
    let expected = try #require(Self.golden?["fixed_c"]?["\(regularization)"])
    let fitted = LogisticRegression(unit, classes, count: 3, regularization: regularization)
    let weights = (expected["weights"]?.array ?? []).flatMap { $0.numbers ?? [] }
    #expect(weights.count == 24)
    for (weight, number) in zip(fitted.weights.values, weights) {
      #expect(abs(weight - number) < 1e-4)
    }
    for (bias, number) in zip(fitted.bias, expected["bias"]?.numbers ?? []) {
      #expect(abs(bias - number) < 1e-4)
    }
  }

  @Test func `Weights near given ones equal those of SciPy`() throws {
    let golden = try #require(Self.golden?["near"])
    let start = try #require(Self.golden?["fixed_c"]?["0.1"])
    let given = LogisticRegression(
      weights: Matrix(
        columns: 8, values: (start["weights"]?.array ?? []).flatMap { $0.numbers ?? [] }),
      bias: start["bias"]?.numbers ?? [])
    let count = Int(try #require(golden["examples"]?.number))
    let fitted = LogisticRegression(
      unit.selecting(Array(0..<count)), Array(classes.prefix(count)), count: 3,
      regularization: 100, from: given, proximity: try #require(golden["proximity"]?.number))
    let expected =
      (golden["weights"]?.array ?? []).flatMap { $0.numbers ?? [] }
      + (golden["bias"]?.numbers ?? [])
    #expect(expected.count == 27)
    for (number, other) in zip(fitted.weights.values + fitted.bias, expected) {
      #expect(abs(number - other) < 1e-4)
    }
  }

  @Test func `The span of a few examples has the same solution`() {
    let few = unit.selecting([0, 1, 8, 9, 14, 15])
    let labels = [0, 0, 1, 1, 2, 2]
    let basis = few.rowBasis
    #expect(basis.rows == 6)
    let whole = LogisticRegression(few, labels, count: 3, regularization: 10)
    let inSpan = LogisticRegression(
      few.products(with: basis), labels, count: 3, regularization: 10)
    let weights = inSpan.weights.combining(basis)
    for (left, right) in zip(weights.values, whole.weights.values) {
      #expect(abs(left - right) < 1e-5)
    }
  }

  @Test func `Repeated rows add nothing to a basis`() {
    let rows = unit.selecting([0, 1, 0, 1])
    #expect(rows.rowBasis.rows == 2)
  }

  @Test func `Regularization, temperature and threshold are chosen as in the reference`() throws {
    let golden = try #require(Self.golden)
    let head = FittedHead(embeddings, classes, count: 3)
    #expect(head.regularization == golden["chosen_c"]?.number)
    #expect(Double(head.foldCount) == golden["number_of_folds"]?.number)
    #expect(abs(head.heldOutLoss - (golden["cv_loss"]?.number ?? 0)) < 1e-4)
    #expect(abs(head.temperature - (golden["temperature"]?.number ?? 0)) < 1e-4)
    let threshold = try #require(head.maxDistance(rejecting: 0.1))
    #expect(abs(threshold - (golden["threshold"]?.number ?? 0)) < 1e-4)
    let right = zip(head.heldOut, classes).count { $0.0.highestIndex == $0.1 }
    #expect(abs(Double(right) / 18 - (golden["cv_accuracy"]?.number ?? 0)) < 1e-4)
    #expect(FittedHead.folds(classes, 4).map(Double.init) == golden["folds"]?.numbers)
  }

  @Test func `Probabilities and rejections of new inputs equal those of the reference`() throws {
    let golden = try #require(Self.golden)
    let head = FittedHead(embeddings, classes, count: 3)
    let threshold = try #require(head.maxDistance(rejecting: 0.1))
    let tests = (golden["tests"]?.array ?? []).map { ($0.numbers ?? []).map(Float.init) }
    #expect(tests.count == 4)
    for (index, test) in tests.enumerated() {
      let expected = try #require(golden["probabilities"]?[index]?.numbers)
      for (found, number) in zip(head.probabilities(of: test), expected) {
        #expect(abs(found - number) < 1e-4)
      }
      let isUnknown = head.distance(of: test) > threshold
      #expect(isUnknown == golden["none_of_these"]?[index]?.bool)
    }
  }

  @Test func `A minimum is found where the scale of directions differs`() {
    let minimum = ConvexMinimizer().minimum(from: [5, 5]) { point, gradient in
      gradient = [2 * (point[0] - 1), 2000 * (point[1] + 2)]
      return (point[0] - 1) * (point[0] - 1) + 1000 * (point[1] + 2) * (point[1] + 2)
    }
    #expect(abs(minimum[0] - 1) < 1e-6 && abs(minimum[1] + 2) < 1e-6)
  }
}

/// Heads of synthesized embeddings, compared with scikit-learn on other items.
@Suite struct TaughtAccuracyTests {
  private static let cases: [JSONTree] =
    (try? JSONTree(
      contentsOf: ProjectFiles.path("Tests/Fixtures/Teaching/accuracies.json")))?.array ?? []

  /// The examples that the script synthesizes.
  private struct Embeddings {
    var train: [[[Float]]] = []
    var test: [[[Float]]] = []
    var other: [[Float]] = []

    init(seed: Int, classes: Int, size: Int, spread: Double) {
      var random = SeededGenerator(seed: UInt64(seed))
      func noise() -> Double {
        (0..<4).reduce(0.0) { sum, _ in sum + Double(random.next() >> 11) * 0x1p-53 } - 2
      }
      let centers = (0...classes).map { _ in (0..<size).map { _ in noise() } }
      func item(_ center: [Double]) -> [Float] { center.map { Float($0 + spread * noise()) } }
      train = centers.dropLast().map { center in (0..<20).map { _ in item(center) } }
      test = centers.dropLast().map { center in (0..<50).map { _ in item(center) } }
      other = (0..<50).map { _ in item(centers[classes]) }
    }
  }

  @Test(arguments: cases)
  func `Accuracy, weights and rejections equal those of scikit-learn`(_ golden: JSONTree) throws {
    func integer(_ key: String) throws -> Int { try Int(#require(golden[key]?.number)) }
    let (classes, shots) = (try integer("classes"), try integer("shots"))
    let data = Embeddings(
      seed: try integer("seed"), classes: classes, size: try integer("size"),
      spread: try #require(golden["spread"]?.number))
    let labels = (0..<classes).flatMap { label in Array(repeating: label, count: shots) }
    let head = FittedHead(
      data.train.flatMap { $0.prefix(shots) }, labels, count: classes)
    #expect(head.regularization == golden["c"]?.number)
    for (weight, expected) in zip(head.regression.weights.values, golden["weights"]?.numbers ?? [])
    {
      #expect(abs(weight * head.temperature - expected) < 1e-3)
    }
    let tests = data.test.enumerated().flatMap { label, items in items.map { (label, $0) } }
    let right = tests.count { head.probabilities(of: $0.1).highestIndex == $0.0 }
    let accuracy = try #require(golden["accuracy"]?.number)
    #expect(abs(Double(right) / Double(tests.count) - accuracy) <= 0.005)
    let limit = try #require(head.maxDistance(rejecting: 0.1))
    for (items, key) in [(tests.map(\.1), "known_rejected"), (data.other, "others_rejected")] {
      let rate = Double(items.count { head.distance(of: $0) > limit }) / Double(items.count)
      #expect(abs(rate - (try #require(golden[key]?.number))) <= 0.02)
    }
  }
}
