import TensorIOTestSupport
import Testing

@testable import TensorIOCore

@Suite struct ThreadCountTests {
  @Test(
    arguments: [
      ("1", 1), ("8", 8), ("1024", 1024), ("0", nil), ("-1", nil), ("1025", nil), ("", nil),
      ("four", nil), ("2.5", nil), (" 2", nil), ("99999999999999999999", nil),
    ] as [(String, Int?)])
  func `A variable must contain an integer within the limits`(text: String, count: Int?) {
    #expect(ThreadCount.parse(text) == count)
  }

  @Test(
    arguments: [
      ("max 100000\n", nil), ("200000 100000\n", 2), ("150000 100000", 2), ("50000 100000\n", 1),
      ("1 100000\n", 1), ("0 100000\n", nil), ("-1 100000\n", nil), ("100000\n", nil), ("", nil),
      ("100000 0\n", nil), ("1 2 3\n", nil), ("nan 1\n", nil), ("inf 1\n", nil),
      ("1e300 1\n", nil), ("1 inf\n", 1),
    ] as [(String, Int?)])
  func `The quota of a control group is rounded up to processors`(text: String, count: Int?) {
    #expect(ThreadCount.processorLimit(cpuMax: text) == count)
  }

  @Test func `The default count is within the limits of a variable`() {
    #expect((1...ThreadCount.maxCount).contains(ThreadCount.defaultCount))
  }

  @Test func `The quota is read from a file`() throws {
    let folder = try TensorIOTestSupport.TemporaryFolder()
    func processors(_ text: String) throws -> Int? {
      ThreadCount.cgroupProcessorLimit(try folder.write(text, to: "cpu.max"))
    }
    #expect(try processors("300000 100000\n") == 3)
    #expect(try processors("max 100000\n") == nil)
    #expect(try processors("") == nil)
    #expect(try processors(String(repeating: "1", count: 100_000)) == nil)
    #expect(ThreadCount.cgroupProcessorLimit(folder.path + "/missing") == nil)
    #expect(ThreadCount.cgroupProcessorLimit(folder.path) == nil)
  }
}
