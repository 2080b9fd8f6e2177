import Foundation
import TensorIO
import TensorIOCore
import TensorIOEvaluation
import TensorIOServer
import TensorIOSystem
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOStudio

/// Models judged by data that is offered, and by pictures that are brought.
@Suite(.timeLimit(.minutes(3))) struct EvaluationRoutesTests {
  private static func digits(_ count: Int) throws -> [(path: String, bytes: [UInt8])] {
    try (0..<count).map { number in
      let label = "\(number % 10)"
      let names = try FileSystem.entryNames(in: "\(StudioBench.heldOut)/\(label)")
      let file = "\(label)/\(names[number / 10])"
      let data = try Data(contentsOf: URL(filePath: "\(StudioBench.heldOut)/\(file)"))
      return (file, Array(data))
    }
  }

  // MARK: The same figures

  @Test func `offered data gives the figures of an evaluation without a page`() async throws {
    let bench = try StudioBench(data: [StudioBench.heldOut])
    let id = try bench.evaluation(of: "digits", "digits-held-out")
    let facts = try await bench.end(of: id)
    #expect(facts["state"]?.string == "done" && facts["data"]?.string == "digits-held-out")
    #expect(facts["done"]?.number == 360 && facts["count"]?.number == 360)
    #expect(facts["rate"]?.number ?? 0 > 0 && facts["seconds_left"] == .null)
    let bundle = try ModelBundle(at: StudioBench.bundle("digits"))
    let plan = try EvaluationPlan(bundle, dataAt: StudioBench.heldOut)
    let direct = try Evaluation(plan) { (_) throws(ModelError) in try Model(bundle) }.run()
    let told = try EvaluationReport(
      json: try bench.get("/evaluations/\(id)/report.json").body
    ).results[0]
    #expect(told.metrics == direct.metrics && told.classes == direct.classes)
    #expect(told.confusion == direct.confusion && told.count == direct.count)
    #expect(told.samples.worst.map(\.name) == direct.samples.worst.map(\.name))
    #expect(told.model.path == "digits" && told.data == "digits-held-out")
    #expect(facts["report"]?["metrics"]?["top1"]?.number == direct.metrics[0].value)
  }

  @Test func `pictures that are brought give the figures of their folder`() async throws {
    let bench = try StudioBench()
    let folder = try TemporaryFolder()
    let id = try bench.evaluation(of: "digits")
    for picture in try Self.digits(30) {
      #expect(try bench.bring(picture.path, picture.bytes, to: id).status == .noContent)
      try folder.write(picture.bytes, to: picture.path)
    }
    let filled = try bench.json("/evaluations/\(id)")
    #expect(filled["state"]?.string == "filling" && filled["count"]?.number == 30)
    #expect(filled["report"] == .null && filled["data"] == .null)
    #expect(try bench.get("/evaluations/\(id)/report.json").status == .conflict)
    #expect(try bench.ask(.post, "/evaluations/\(id)/start").status == .accepted)
    let facts = try await bench.end(of: id)
    let bundle = try ModelBundle(at: StudioBench.bundle("digits"))
    let plan = try EvaluationPlan(bundle, dataAt: folder.path)
    let direct = try Evaluation(plan) { (_) throws(ModelError) in try Model(bundle) }.run()
    #expect(facts["state"]?.string == "done", "\(facts)")
    #expect(facts["report"]?["metrics"]?["top1"]?.number == direct.metrics[0].value)
    #expect(facts["report"]?["count"]?.number == 30)
    try exports(of: id, from: bench)
  }

  /// The report is taken home in three forms, and its pictures one by one.
  private func exports(of id: String, from bench: StudioBench) throws {
    let page = try bench.get("/evaluations/\(id)/report.html")
    #expect(page.text.hasPrefix("<!DOCTYPE html>") && page.text.contains("data:image/"))
    let policy = try #require(page.headers["Content-Security-Policy"])
    #expect(policy.contains("sandbox") && !policy.contains("script-src"))
    let table = try bench.get("/evaluations/\(id)/report.csv")
    #expect(table.text.hasPrefix("model,data,figure,value,unit"))
    #expect(table.text.contains("digits,pictures,count,30.0,"))
    let report = try EvaluationReport(json: try bench.get("/evaluations/\(id)/report.json").body)
    let best = try #require(report.results[0].samples.best.first)
    #expect(best.imagePath == best.name)
    let name = best.name.replacing("/", with: "%2F")
    let picture = try bench.get("/evaluations/\(id)/picture?name=\(name)")
    #expect(picture.headers["Content-Type"] == "image/png")
    #expect(try Self.digits(30).contains { $0.path == best.name && $0.bytes == picture.body })
    for name in ["nothing", "..%2F..%2Fetc%2Fpasswd", ""] {
      #expect(try bench.get("/evaluations/\(id)/picture?name=\(name)").status == .notFound)
    }
  }

  // MARK: Bad input

  @Test(arguments: [
    "7.png", "a/b/7.png", "/7.png", "7/", "../7.png", "7/..", "./7.png", "7/.7.png", ".7/7.png",
    "7//7.png", "7%5C..%2F7.png", "7/a%5Cb.png", "7/a%00.png", "7/%0A.png", "", "7/7.txt",
  ])
  func `a place that is not a label and a name is refused`(_ path: String) throws {
    let bench = try StudioBench()
    let id = try bench.evaluation(of: "digits")
    let answer = try bench.bring(path, try GatedLibrary.picture(), to: id)
    #expect(answer.status == .badRequest, "\(answer.text)")
    #expect(try bench.json("/evaluations/\(id)")["count"]?.number == 0)
  }

  @Test func `a name of 300 bytes, a name twice and a body that is no picture are refused`() throws
  {
    let bench = try StudioBench()
    let id = try bench.evaluation(of: "digits")
    let picture = try GatedLibrary.picture()
    let long = String(repeating: "a", count: 300) + ".png"
    #expect(try bench.bring("7/\(long)", picture, to: id).status == .badRequest)
    #expect(try bench.bring("7/a.png", picture, to: id).status == .noContent)
    #expect(try bench.bring("7/A.png", picture, to: id).code == "name-taken")
    #expect(try bench.bring("7/b.png", Array("text".utf8), to: id).status == .unsupportedMediaType)
    #expect(try bench.bring("7/b.png", [], to: id).status == .unsupportedMediaType)
    #expect(try bench.json("/evaluations/\(id)")["count"]?.number == 1)
  }

  @Test func `no more is kept than there is room for`() throws {
    var limits = EvaluationJobs.Limits()
    limits.uploads = .init(maxImages: 3, maxLabels: 2, maxBytes: 1 << 20)
    let bench = try StudioBench(limits: limits)
    let id = try bench.evaluation(of: "digits")
    let picture = try GatedLibrary.picture()
    for path in ["1/a.png", "2/a.png"] {
      #expect(try bench.bring(path, picture, to: id).status == .noContent)
    }
    #expect(try bench.bring("3/a.png", picture, to: id).status == .contentTooLarge)
    #expect(try bench.bring("2/b.png", picture, to: id).status == .noContent)
    #expect(try bench.bring("2/c.png", picture, to: id).code == "too-many")
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"model": 7}"#, #"{"model": "digits", "data": 7}"#,
  ])
  func `a wish that is none is refused`(_ body: String) throws {
    #expect(try StudioBench().post("/evaluations", body).status == .badRequest)
  }

  @Test func `what is unknown is said to be unknown`() throws {
    let bench = try StudioBench()
    #expect(try bench.post("/evaluations", #"{"model": "nobody"}"#).status == .notFound)
    let wish = #"{"model": "digits", "data": "nothing"}"#
    #expect(try bench.post("/evaluations", wish).status == .notFound)
    for path in ["", "/report.json", "/report.csv", "/report.html", "/picture?name=a"] {
      #expect(try bench.get("/evaluations/0123\(path)").status == .notFound)
    }
    #expect(try bench.ask(.delete, "/evaluations/0123").status == .notFound)
    #expect(try bench.ask(.post, "/evaluations/0123/start").status == .notFound)
    #expect(try bench.bring("7/a.png", [], to: "0123").status == .notFound)
  }

  @Test func `labels that the model does not know end in a failure that says so`() async throws {
    let bench = try StudioBench()
    let id = try bench.evaluation(of: "digits")
    #expect(try bench.ask(.post, "/evaluations/\(id)/start").code == "no-pictures")
    #expect(try bench.bring("cat/a.png", try GatedLibrary.picture(), to: id).status == .noContent)
    #expect(try bench.ask(.post, "/evaluations/\(id)/start").status == .accepted)
    let facts = try await bench.end(of: id)
    #expect(facts["state"]?.string == "failed" && facts["report"] == .null)
    #expect(facts["error"]?.string?.contains("cat") == true, "\(facts)")
    #expect(try bench.ask(.post, "/evaluations/\(id)/start").code == "started-already")
    #expect(try bench.bring("7/a.png", [], to: id).code == "started-already")
  }
}
