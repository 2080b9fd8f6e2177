import TensorIOCore
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOData

@Suite struct SelectingTests {
  /// Items that have labels and nothing else.
  struct Labelled: IndexedDataset {
    let labels: [String]
    let truths: [[Int]]
    var places: [Int]
    let errors: [Diagnostic] = []
    let warnings: [Diagnostic] = []

    init(_ labels: [String], _ truths: [[Int]]) {
      (self.labels, self.truths) = (labels, truths)
      places = Array(truths.indices)
    }

    var count: Int { places.count }
    func name(at index: Int) -> String { "\(places[index]).png" }
    func labelIndices(at index: Int) -> [Int] { truths[places[index]] }
    func split(at index: Int) -> DatasetSplit? { places[index] % 2 == 0 ? .test : nil }
    func error(at index: Int) -> Diagnostic? { nil }
    func selecting(_ indexes: [Int]) -> Labelled {
      var selection = self
      selection.places = indexes.map { places[$0] }
      return selection
    }
  }

  static let items = Labelled(["cat", "dog", "a=b"], [[0], [1], [0, 1], [], [2]])

  @Test(arguments: [
    (["label=cat"], [0, 2]), (["label!=cat"], [1, 3, 4]), (["label=a=b"], [4]),
    (["label~?a?"], [0, 2]), (["label!~*"], [3]), (["name~*.png"], [0, 1, 2, 3, 4]),
    (["name = 3.png"], [3]), (["name~[0-1].png"], []), (["name~1*"], [1]),
    (["set=TEST"], [0, 2, 4]),
    (["set!=test"], [1, 3]), (["set=unassigned"], [1, 3]), (["label=cat", "label=dog"], [2]),
    ([], [0, 1, 2, 3, 4]),
  ])
  func `a filter chooses`(_ texts: [String], _ expected: [Int]) throws {
    #expect(try Self.items.filter(DatasetFilter(parsing: texts)).places == expected)
  }

  @Test(arguments: [
    ("", "invalid-filter"), ("label", "invalid-filter"), ("label=", "invalid-filter"),
    ("label!cat", "invalid-filter"), ("lable=cat", "invalid-filter"), ("set=TSET", "unknown-set"),
    ("label=cta", "unknown-label"), ("=", "invalid-filter"),
  ])
  func `what is no filter is refused`(_ text: String, _ code: String) {
    let error = #expect(throws: ModelError.self) {
      _ = try Self.items.filter(DatasetFilter(parsing: text))
    }
    #expect(error?.code == code)
  }

  @Test func `a selection of a selection counts from its own beginning`() throws {
    let cats = try Self.items.filter(DatasetFilter(parsing: "label=cat"))
    #expect(try cats.filter(DatasetFilter(parsing: "label=dog")).places == [2])
    #expect(cats.selecting([1]).name(at: 0) == "2.png")
  }

  @Test(arguments: ["", "1/0", "0.5/0.4", "a/b", "0.5", "-0.5/1.5", "nan/1", "0.5//0.5"])
  func `what is no split is refused`(_ text: String) {
    let error = #expect(throws: ModelError.self) { _ = try SplitRatios(parsing: text) }
    #expect(error?.code == "invalid-split")
  }

  @Test func `a split has no more parts than the limit`() throws {
    let limit = SplitRatios.maxSplits
    #expect(
      try SplitRatios(Array(repeating: 1 / Double(limit), count: limit)).fractions.count == limit)
    #expect(throws: ModelError.self) {
      _ = try SplitRatios(Array(repeating: 1 / Double(limit + 1), count: limit + 1))
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `parts share nothing, miss nothing and have their share of every label`(
    _ seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 0...300, using: &random)
    let items = Labelled(
      ["a", "b", "c"],
      (0..<count).map { _ in [[0, 0, 0, 1, 1, 2].randomElement(using: &random) ?? 0] })
    let split = try SplitRatios(parsing: "0.7/0.2/0.1")
    let parts = items.split(split, seed: seed)
    #expect(parts.flatMap(\.places).sorted() == Array(0..<count))
    #expect(parts.allSatisfy { $0.places == $0.places.sorted() })
    #expect(parts.map(\.places) == items.split(split, seed: seed).map(\.places))
    for (part, fraction) in zip(parts, split.fractions) {
      #expect(abs(Double(part.count) - fraction * Double(count)) <= 1)
      for label in 0..<3 {
        let share = Double(items.truths.count { $0 == [label] }) * fraction
        let found = part.places.count { items.truths[$0] == [label] }
        #expect(abs(Double(found) - share) <= 2)
      }
    }
  }

  @Test func `another seed splits otherwise`() throws {
    let items = Labelled(["a"], [[Int]](repeating: [0], count: 100))
    let split = try SplitRatios([0.5, 0.5])
    #expect(items.split(split, seed: 1)[0].places != items.split(split, seed: 2)[0].places)
  }

  @Test func `examples are selected as anything is`() throws {
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
        at: name == "" ? Self.onlyPictures(folder) : "\(folder.path)/\(name)",
        for: [.picture, .label], labels: ["cat", "dog"])
      #expect(data.count == count)
      let dogs = try data.filter(DatasetFilter(parsing: "label=dog"))
      #expect(dogs.count == 1 && dogs.labelIndices(at: 0) == [1])
      #expect(try dogs.values(at: 0)["label"] == 1.layerValue)
      #expect(data.split(try SplitRatios([0.5, 0.5])).map(\.count).reduce(0, +) == count)
    }
  }

  /// The folder's pictures without its tables.
  private static func onlyPictures(_ folder: TemporaryFolder) throws -> String {
    for name in ["cat", "dog"] {
      try folder.write("", to: "pictures/.keep")
      try folder.copy("\(folder.path)/\(name)", as: "pictures/\(name)")
    }
    return "\(folder.path)/pictures"
  }

  @Test func `a pattern never costs more than its length times the name's`() {
    let start = ContinuousClock.now
    let pattern = GlobPattern(String(repeating: "*a", count: 500) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 5_000)))
    #expect(GlobPattern("*a*b?").matches("xxaxxbxbc") && !GlobPattern("a").matches("ab"))
    #expect(ContinuousClock.now - start < .seconds(10))
  }
}
