import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOData
@testable import TensorIODrawing
@testable import TensorIOEvaluation

@Suite(.ownThreads) struct ReportPageTests {
  private func text(_ report: EvaluationReport, cards: [String: String] = [:]) -> String {
    String(decoding: ReportPage(report, cards: cards).html, as: UTF8.self)
  }

  @Test(arguments: 0..<12)
  func `Every page is well-formed XML`(seed: Int) throws {
    var random = RandomReport(seed: seed, includingNaN: true)
    let report = random.report()
    let cards = Dictionary(
      report.results.map { ($0.model.path, RandomReport.hostileTexts.joined(separator: "\n\n")) },
      uniquingKeysWith: { first, _ in first })
    let page = ReportPage(report, cards: cards).document
    let root = try XMLReader.read(Array(page.source.utf8))
    #expect(root["body"]?["main"]?.all("section").count == 1 + report.results.count)
    #expect(!page.source.contains("<script"))
  }

  @Test func `A page contains the command and the metrics`() {
    let page = text(
      SampleReport.of(
        SampleReport.classifier("float", top1: 0.75, p50: 1.5),
        SampleReport.classifier("small", top1: 0.7, p50: 0.5)),
      cards: ["small.tiobundle": "# About\n\nIt is *small*."])
    #expect(page.hasPrefix("<!DOCTYPE html>"))
    #expect(page.contains("<code>tensorio evaluate fig.tiobundle fruit</code>"))
    #expect(page.contains("tensorio 0.1.0 · x86_64, 2 threads · 2026-11-22T00:00:00Z"))
    #expect(page.contains(#"<td class="number best">75.00 %</td><td class="number">70.00 %</td>"#))
    #expect(
      page.contains(#"<td class="number">1.500 ms</td><td class="number best">0.500 ms</td>"#))
    #expect(page.contains("<h3>About</h3><p>It is <em>small</em>.</p>"))
    #expect(page.contains(#"style="--fraction:0.500">50.00 %"#))
  }

  @Test func `A page has no external resources`() throws {
    let page = try String(decoding: RealReport.page(), as: UTF8.self)
    #expect(page.contains("default-src &apos;none&apos;"))
    for address in ["src=\"http", "url(", "@import", "<link", "<script", "<iframe"] {
      #expect(!page.contains(address))
    }
  }

  @Test func `Boxes are drawn over their image`() {
    let page = text(SampleReport.of(SampleReport.detector()))
    #expect(page.contains("data:image/jpeg;base64,"))
    #expect(page.contains(#"<rect class="ground-truth-box" x="40" y="30" width="80" height="80">"#))
    #expect(
      page.contains(
        ##"<rect class="predicted-box" stroke="#ff9500" x="44" y="28" width="78" height="85"><title>star 0.93</title>"##
      ))
    #expect(
      page.contains("alt=\"0003.jpg, actual: 2 objects, predicted: 1 detected, 1 false positives\"")
    )
  }

  @Test func `Images that cannot be read are listed`() {
    var result = SampleReport.detector()
    var missing = result.samples.worst[0]
    (missing.name, missing.imagePath) = ("missing.jpg", "/nowhere/missing.jpg")
    result.samples.add(missing)
    let page = text(SampleReport.of(result))
    #expect(page.contains("No image: missing.jpg: "))
    #expect(page.components(separatedBy: "<img").count == 2)
  }

  @Test func `The size of a page with 1,000 classes is limited`() {
    let page = ReportPage(SampleReport.of(SampleReport.large(classes: 1000))).html
    print("page of 1000 classes: \(page.count / 1000) kB")
    #expect(page.count < 3_000_000)
  }

  @Test func `A thumbnail is a small copy of the upright image`() throws {
    let thumbnail = try Thumbnail(of: SampleReport.photograph)
    #expect(thumbnail.dataURL.utf8.count < 30_000 && !thumbnail.isPixelArt)
    let digit = try Thumbnail(of: ProjectFiles.path("Examples/Data/digits-held-out/0/010.png"))
    #expect(digit.width == 64 && digit.height == 64 && digit.isPixelArt)
    #expect(digit.dataURL.hasPrefix("data:image/"))
  }
}
