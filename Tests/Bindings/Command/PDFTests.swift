import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

private enum Poppler {
  static let isInstalled: Bool = {
    let isInstalled = Subprocess.run("pdftoppm", ["-v"])?.status == 0
    if !isInstalled { print("Poppler is not installed: skipping tests of PDF files") }
    return isInstalled
  }()
}

/// Pages of PDF files as images.
@Suite(.enabled(if: Poppler.isInstalled)) struct PDFTests {
  /// Returns a file whose pages have the sizes, in points, and a black bar on the left, like the digit 1.
  private static func document(_ sizes: [(width: Int, height: Int)]) -> [UInt8] {
    let count = sizes.count
    var objects = [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count \(count) /Kids [\((0..<count).map { "\(3 + 2 * $0) 0 R" }.joined(separator: " "))] >>",
    ]
    for (index, size) in sizes.enumerated() {
      let content = "\(size.width / 4) 0 \(size.width / 8) \(size.height) re f"
      objects += [
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 \(size.width) \(size.height)] /Contents \(4 + 2 * index) 0 R >>",
        "<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream",
      ]
    }
    var (text, offsets) = ("%PDF-1.4\n", [Int]())
    for (index, object) in objects.enumerated() {
      offsets.append(text.utf8.count)
      text += "\(index + 1) 0 obj\n\(object)\nendobj\n"
    }
    let start = text.utf8.count
    text += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
    for offset in offsets {
      let digits = String(offset)
      text += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
    }
    text += "trailer << /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n"
    return Array(text.utf8)
  }

  private func run(
    _ bytes: [UInt8], name: String = "scan.pdf", _ arguments: [String] = []
  ) throws -> (CommandResult, path: String) {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/\(name)"
    try folder.write(bytes, to: name)
    return (TestConsole.run(["run", Example.digits, path] + arguments), path)
  }

  @Test func `Each page is an item with the number of the page`() throws {
    let (result, path) = try run(
      Self.document([(200, 300), (300, 200), (20, 20)]), ["--format", "ndjson"])
    #expect(result.exitCode == 0)
    let records = result.output.split(separator: "\n")
    #expect(records.count == 3)
    for (index, record) in records.enumerated() {
      #expect(record.contains("\(path)#page=\(index + 1)\""))
      #expect(record.contains(#""label":""#))
    }
  }

  @Test func `Output files have the name of the document`() throws {
    let output = try TemporaryFolder()
    let (result, _) = try run(
      Self.document([(200, 300), (200, 300)]), ["--annotate", output.path])
    #expect(result.exitCode == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: output.path).count == 2)
  }

  @Test func `A page of any size is drawn within the limit of images`() throws {
    let (result, _) = try run(Self.document([(14_400, 14_400), (14_400, 1)]))
    #expect(result.exitCode == 0)
  }

  @Test func `A damaged file is an error, and another suffix is an image`() throws {
    let (damaged, _) = try run(Array("%PDF-1.4 nothing".utf8))
    #expect(damaged.exitCode == 4)
    #expect(damaged.messages.contains("scan.pdf: "))
    let (other, _) = try run(Self.document([(200, 300)]), name: "scan.png")
    #expect(other.exitCode == 4)
  }
}
