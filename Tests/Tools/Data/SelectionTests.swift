import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOData

@Suite struct SelectionTests {
  /// A dataset whose items have only labels.
  struct LabelDataset: IndexedDataset {
    let labels: [String]
    let groundTruth: [[Int]]
    var positions: [Int]
    let errors: [Diagnostic] = []
    let warnings: [Diagnostic] = []

    init(_ labels: [String], _ groundTruth: [[Int]]) {
      (self.labels, self.groundTruth) = (labels, groundTruth)
      positions = Array(groundTruth.indices)
    }

    var count: Int { positions.count }
    func name(at index: Int) -> String { "\(positions[index]).png" }
    func labelIndices(at index: Int) -> [Int] { groundTruth[positions[index]] }
    func split(at index: Int) -> DatasetSplit? { positions[index] % 2 == 0 ? .test : nil }
    func error(at index: Int) -> Diagnostic? { nil }
    func selecting(_ indexes: [Int]) -> LabelDataset {
      var selection = self
      selection.positions = indexes.map { positions[$0] }
      return selection
    }
  }

  static let items = LabelDataset(["cat", "dog", "a=b"], [[0], [1], [0, 1], [], [2]])

  @Test(arguments: [
    (["label=cat"], [0, 2]), (["label!=cat"], [1, 3, 4]), (["label=a=b"], [4]),
    (["label~?a?"], [0, 2]), (["label!~*"], [3]), (["name~*.png"], [0, 1, 2, 3, 4]),
    (["name = 3.png"], [3]), (["name~[0-1].png"], []), (["name~1*"], [1]),
    (["set=TEST"], [0, 2, 4]),
    (["set!=test"], [1, 3]), (["set=unassigned"], [1, 3]), (["label=cat", "label=dog"], [2]),
    ([], [0, 1, 2, 3, 4]),
  ])
  func `A filter selects the matching items`(_ texts: [String], _ expected: [Int]) throws {
    #expect(try Self.items.filter(DatasetFilter(parsing: texts)).positions == expected)
  }

  @Test(arguments: [
    ("", "invalid-filter"), ("label", "invalid-filter"), ("label=", "invalid-filter"),
    ("label!cat", "invalid-filter"), ("lable=cat", "invalid-filter"), ("set=TSET", "unknown-split"),
    ("label=cta", "unknown-label"), ("=", "invalid-filter"),
  ])
  func `An invalid filter is rejected`(_ text: String, _ code: String) {
    let error = #expect(throws: ModelError.self) {
      _ = try Self.items.filter(DatasetFilter(parsing: text))
    }
    #expect(error?.code == code)
  }

  @Test func `A selection of a selection has its own indices`() throws {
    let cats = try Self.items.filter(DatasetFilter(parsing: "label=cat"))
    #expect(try cats.filter(DatasetFilter(parsing: "label=dog")).positions == [2])
    #expect(cats.selecting([1]).name(at: 0) == "2.png")
  }

  @Test(arguments: ["", "1/0", "0.5/0.4", "a/b", "0.5", "-0.5/1.5", "nan/1", "0.5//0.5"])
  func `An invalid split is rejected`(_ text: String) {
    let error = #expect(throws: ModelError.self) { _ = try SplitRatios(parsing: text) }
    #expect(error?.code == "invalid-split")
  }

  @Test func `The number of splits is limited`() throws {
    let limit = SplitRatios.maxSplits
    #expect(
      try SplitRatios(Array(repeating: 1 / Double(limit), count: limit)).fractions.count == limit)
    #expect(throws: ModelError.self) {
      _ = try SplitRatios(Array(repeating: 1 / Double(limit + 1), count: limit + 1))
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `Splits are disjoint, complete and stratified by label`(
    _ seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 0...300, using: &random)
    let items = LabelDataset(
      ["a", "b", "c"],
      (0..<count).map { _ in [[0, 0, 0, 1, 1, 2].randomElement(using: &random) ?? 0] })
    let split = try SplitRatios(parsing: "0.7/0.2/0.1")
    let parts = items.split(split, seed: seed)
    #expect(parts.flatMap(\.positions).sorted() == Array(0..<count))
    #expect(parts.allSatisfy { $0.positions == $0.positions.sorted() })
    #expect(parts.map(\.positions) == items.split(split, seed: seed).map(\.positions))
    for (part, fraction) in zip(parts, split.fractions) {
      #expect(abs(Double(part.count) - fraction * Double(count)) <= 1)
      for label in 0..<3 {
        let expected = Double(items.groundTruth.count { $0 == [label] }) * fraction
        let actual = part.positions.count { items.groundTruth[$0] == [label] }
        #expect(abs(Double(actual) - expected) <= 2)
      }
    }
  }

  @Test func `Another seed gives another split`() throws {
    let items = LabelDataset(["a"], [[Int]](repeating: [0], count: 100))
    let split = try SplitRatios([0.5, 0.5])
    #expect(items.split(split, seed: 1)[0].positions != items.split(split, seed: 2)[0].positions)
  }

  @Test func `Examples can be filtered and split`() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b", "c"] { try folder.draw("cat/\(name).png") }
    try folder.draw("dog/d.png")
    try folder.write(
      "image,label\ncat/a.png,cat\ndog/d.png,dog\ncat/b.png,0\n", to: "d.csv")
    try folder.write(
      "{\"image\":\"cat/a.png\",\"label\":\"cat\"}\n{\"label\":1,\"image\":\"dog/d.png\"}\n",
      to: "d.ndjson")
    for (name, count) in [("", 4), ("d.csv", 3), ("d.ndjson", 2)] {
      let data = try ExampleDataset(
        at: name == "" ? Self.imagesOnly(folder) : "\(folder.path)/\(name)",
        for: [.image, .label], labels: ["cat", "dog"])
      #expect(data.count == count)
      let dogs = try data.filter(DatasetFilter(parsing: "label=dog"))
      #expect(dogs.count == 1 && dogs.labelIndices(at: 0) == [1])
      #expect(try dogs.values(at: 0)["label"] == 1.layerValue)
      #expect(data.split(try SplitRatios([0.5, 0.5])).map(\.count).reduce(0, +) == count)
    }
  }

  /// Copies the images of a folder without its tables.
  private static func imagesOnly(_ folder: TemporaryFolder) throws -> String {
    for name in ["cat", "dog"] {
      try folder.write("", to: "images/.keep")
      try folder.copy("\(folder.path)/\(name)", as: "images/\(name)")
    }
    return "\(folder.path)/images"
  }

  @Test func `Matching a pattern takes time proportional to the product of both lengths`() {
    let pattern = GlobPattern(String(repeating: "*a", count: 500) + "b")
    let text = String(repeating: "a", count: 5_000)
    let time = ThreadTime.measure { #expect(!pattern.matches(text)) }
    #expect(time < .seconds(10))
    #expect(GlobPattern("*a*b?").matches("xxaxxbxbc") && !GlobPattern("a").matches("ab"))
  }
}
