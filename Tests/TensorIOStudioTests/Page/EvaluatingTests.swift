import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// Many pictures with their right answers.
  @Suite struct Evaluating {
    @Test func `a folder of one's own gives figures and a confusion matrix`() async throws {
      let folder = try TemporaryFolder()
      let names = ["3/054.png", "3/114.png", "8/127.png"]
      for name in names {
        let bytes = try Data(contentsOf: URL(filePath: "\(StudioBench.heldOut)/\(name)"))
        try folder.write(Array(bytes), to: "mine/\(name)")
      }
      let page = try await PageVisit("digits/evaluate")
      try await page.waitFor("document.querySelector('.choice input[type=file]')")
      try await page.choose(["\(folder.path)/mine"], in: ".choice input[type=file]")
      try await page.waitFor("Done: 3 pictures judged", in: ".progress-note")
      let cells = """
        [...document.querySelectorAll(".confusion tbody tr")].map(
          (row) => [...row.children].map((cell) => cell.textContent).join(" "))
        """
      let rows = try await page.value(cells).array?.compactMap(\.string) ?? []
      #expect(rows.contains { $0.hasPrefix("3 ") && $0.contains("2") })
      try await page.waitFor("8 taken for 1 (1)", in: ".sheet")
      try await page.waitFor("document.querySelector('.mistake img')?.naturalWidth > 0")
      let report = "fetch(document.querySelector('.exports a').href).then((one) => one.json())"
      #expect(try await page.value(report)[0]?["count"]?.number == 3)
      page.expectPeace()
    }

    @Test func `data of the studio are judged, and the report is for taking`() async throws {
      let page = try await PageVisit("digits/evaluate", data: [StudioBench.heldOut])
      try await page.click(".choice:nth-child(2) button", "Judge")
      try await page.waitFor("Done: 360 pictures judged", in: ".progress-note")
      #expect(try await page.text(".headline b") == "99.2 %")
      #expect(try await page.count(".confusion tbody tr") == 10)
      #expect(try await page.count(".confusion .miss") == 3)
      for (place, type) in [(1, "application/json"), (2, "text/csv"), (3, "text/html")] {
        let link = "document.querySelector('.exports a:nth-child(\(place))').href"
        let told = try await page.value(
          "fetch(\(link)).then((one) => one.ok && one.headers.get('content-type'))")
        #expect(told.string?.hasPrefix(type) == true)
      }
      page.expectPeace()
    }

    @Test func `pictures that were labelled by hand are judged`() async throws {
      let page = try await PageVisit("digits/try")
      for name in ["3-1.png", "7-1.png"] {
        try await page.drop([StudioPageTests.sample("digits/\(name)")])
        try await page.waitFor(
          "document.querySelector('.label-form input')?.value === '\(name.prefix(1))'")
        try await page.click(".label-form button")
        try await page.waitFor("Kept", in: ".label-form")
      }
      try await page.click("[role=tab]", "Evaluate")
      try await page.click(".choice:last-child button", "Judge")
      try await page.waitFor("Done: 2 pictures judged", in: ".progress-note")
      page.expectPeace()
    }

    @Test func `an evaluation is cancelled`() async throws {
      let page = try await PageVisit("digits/evaluate", data: [StudioBench.heldOut])
      try await page.click(".choice:nth-child(2) button", "Judge")
      try await page.click(".running button", "Cancel")
      try await page.waitFor(
        "/^(Cancelled after|Done)/.test(document.querySelector('.progress-note').textContent)")
      #expect(try await page.count(".running button") == 0)
      page.expectPeace()
    }
  }
}
