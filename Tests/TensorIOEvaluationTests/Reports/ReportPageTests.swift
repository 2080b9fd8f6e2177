import Foundation
import TensorIOEvaluation
import TensorIOTestSupport
import Testing

@Suite struct ReportPageTests {
  @Test func `a page of models that were really judged`() throws {
    let html = try RealReport.page()
    let folder = ProjectFiles.path(".build/report-pages")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(html).write(to: URL(filePath: folder + "/digits.html"))
    try RealReport.digits.get().lines.forEach { print($0) }
    try Data(RealReport.digits.get().json).write(to: URL(filePath: folder + "/digits.json"))
  }
}
