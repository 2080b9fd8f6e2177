import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOCore

@Suite struct ThreadCountTests {
  @Test(
    arguments: [
      ("1", 1), ("8", 8), ("1024", 1024), ("0", nil), ("-1", nil), ("1025", nil), ("", nil),
      ("four", nil), ("2.5", nil), (" 2", nil), ("99999999999999999999", nil),
    ] as [(String, Int?)])
  func `a variable holds a whole number within reason`(text: String, count: Int?) {
    #expect(ThreadCount.parse(text) == count)
  }

  @Test(
    arguments: [
      ("max 100000\n", nil), ("200000 100000\n", 2), ("150000 100000", 2), ("50000 100000\n", 1),
      ("1 100000\n", 1), ("0 100000\n", nil), ("-1 100000\n", nil), ("100000\n", nil), ("", nil),
      ("100000 0\n", nil), ("1 2 3\n", nil), ("nan 1\n", nil), ("inf 1\n", nil),
      ("1e300 1\n", nil), ("1 inf\n", 1),
    ] as [(String, Int?)])
  func `a control group's quota is rounded up to processors`(text: String, count: Int?) {
    #expect(ThreadCount.processors(quota: text) == count)
  }

  @Test func `the usual count is one that a variable could ask for`() {
    #expect((1...ThreadCount.limit).contains(ThreadCount.standard))
  }

  @Test func `a line is read from a file of any size`() throws {
    let folder = try TemporaryFolder()
    let quota = try folder.write("200000 100000\nsecond\n", to: "cpu.max")
    #expect(Platform.line(ofKernelFile: quota) == "200000 100000\n")
    let unended = try folder.write("max 100000", to: "unended")
    #expect(Platform.line(ofKernelFile: unended) == "max 100000")
    let long = try folder.write(String(repeating: "x", count: 100_000), to: "long")
    #expect(Platform.line(ofKernelFile: long) == String(repeating: "x", count: 255))
    #expect(Platform.line(ofKernelFile: try folder.write("", to: "empty")) == nil)
    #expect(Platform.line(ofKernelFile: folder.path + "/missing") == nil)
    #expect(Platform.line(ofKernelFile: folder.path) == nil)
  }

  #if os(Linux)
    @Test func `a file whose size is told as zero is read`() throws {
      let line = try #require(Platform.line(ofKernelFile: "/proc/self/cmdline"))
      #expect(!line.isEmpty)
    }
  #endif
}
