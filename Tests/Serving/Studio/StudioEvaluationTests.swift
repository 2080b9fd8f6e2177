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

/// Evaluations on preconfigured datasets and on uploaded images.
@Suite(.hangGuard) struct StudioEvaluationTests {
  private static func digits(_ count: Int) throws -> [(path: String, bytes: [UInt8])] {
    try (0..<count).map { number in
      let label = "\(number % 10)"
      let names = try FileSystem.entryNames(in: "\(StudioHarness.heldOut)/\(label)")
      let file = "\(label)/\(names[number / 10])"
      let data = try Data(contentsOf: URL(filePath: "\(StudioHarness.heldOut)/\(file)"))
      return (file, Array(data))
    }
  }

  // MARK: Metrics

  @Test func `An evaluation of a dataset has the metrics of tensorio evaluate`() async throws {
    let harness = try StudioHarness(data: [StudioHarness.heldOut])
    let id = try harness.createEvaluation(of: "digits", on: "digits-held-out")
    let status = try await harness.finalStatus(of: id)
    #expect(status["state"]?.string == "completed")
    #expect(status["dataset"]?.string == "digits-held-out")
    #expect(status["completed"]?.number == 360 && status["total"]?.number == 360)
    #expect(status["items_per_second"]?.number ?? 0 > 0 && status["remaining_seconds"] == .null)
    let bundle = try ModelBundle(at: StudioHarness.bundle("digits"))
    let plan = try EvaluationPlan(bundle, dataAt: StudioHarness.heldOut)
    let direct = try Evaluation(plan) { (_) throws(ModelError) in try Model(bundle) }.run()
    let reported = try EvaluationReport(
      json: try harness.get("/evaluations/\(id)/report.json").body
    ).results[0]
    #expect(reported.metrics == direct.metrics && reported.classes == direct.classes)
    #expect(reported.confusion == direct.confusion && reported.count == direct.count)
    #expect(reported.samples.worst.map(\.name) == direct.samples.worst.map(\.name))
    #expect(reported.model.path == "digits" && reported.data == "digits-held-out")
    #expect(status["report"]?["metrics"]?["top1"]?.number == direct.metrics[0].value)
    let charts = try #require(status["charts"]?.array)
    #expect(charts.count == direct.charts.count && charts.count == 8)
    #expect(charts.allSatisfy { $0[0]?[0]?.string == "figure" })
    #expect(charts[0][0]?[2]?[2]?.string == "Confusion")
  }

  @Test func `A result has the verdict of gates and the comparison with another model`()
    async throws
  {
    let harness = try StudioHarness(
      [StudioHarness.bundle("digits"), StudioHarness.bundle("digits-quantized")],
      data: [StudioHarness.heldOut])
    func evaluated(_ model: String, _ members: String) async throws -> JSONTree {
      let body = #"{"model": "\#(model)", "dataset": "digits-held-out", \#(members)}"#
      let created = try harness.post("/evaluations", body)
      #expect(created.status == .created, "\(created.text)")
      return try await harness.finalStatus(of: created.json()["id"]?.string ?? "")
    }
    let gates = #""gates": ["top1>=99%", "top1>=baseline-50%"]"#
    let first = try await evaluated("digits", gates)
    #expect(first["report"]?["verdict"]?["passed"]?.bool == true)
    #expect(
      first["report"]?["verdict"]?["gates"]?.array?.count == 1, "the first model has no baseline")
    let id = try #require(first["id"]?.string)
    let second = try await evaluated("digits-quantized", gates + #", "baseline": "\#(id)""#)
    #expect(second["report"]?["verdict"]?["gates"]?.array?.count == 2)
    let comparison = try #require(second["report"]?["comparison"])
    #expect(comparison["baseline"]?.string == "Handwritten digits")
    #expect(comparison["count"]?.number == 360 && comparison["same_items"]?.bool == true)
    #expect(comparison["changes"]?.array?.isEmpty == false)
    let failed = try await evaluated("digits", #""gates": ["unheard>=1"]"#)
    #expect(failed["state"]?.string == "failed")
    #expect(failed["error"]?.string?.contains("unheard") == true)
  }

  @Test(arguments: [
    #""gates": "top1>=1""#, #""gates": [1]"#, #""gates": ["top1"]"#, #""baseline": 1"#,
    #""baseline": "none""#,
  ])
  func `Gates and baselines are checked`(_ members: String) throws {
    let harness = try StudioHarness(data: [StudioHarness.heldOut])
    let response = try harness.post("/evaluations", #"{"model": "digits", \#(members)}"#)
    #expect([.badRequest, .notFound].contains(response.status), "\(response.text)")
  }

  @Test func `An evaluation of uploaded images has the metrics of their folder`() async throws {
    let harness = try StudioHarness()
    let folder = try TemporaryFolder()
    let id = try harness.createEvaluation(of: "digits")
    for image in try Self.digits(30) {
      #expect(try harness.upload(image.path, image.bytes, to: id).status == .noContent)
      try folder.write(image.bytes, to: image.path)
    }
    let uploaded = try harness.json("/evaluations/\(id)")
    #expect(uploaded["state"]?.string == "uploading" && uploaded["total"]?.number == 30)
    #expect(uploaded["report"] == .null && uploaded["dataset"] == .null)
    #expect(uploaded["charts"]?.array?.isEmpty == true)
    #expect(try harness.get("/evaluations/\(id)/report.json").status == .conflict)
    #expect(try harness.send(.post, "/evaluations/\(id)/start").status == .accepted)
    let status = try await harness.finalStatus(of: id)
    let bundle = try ModelBundle(at: StudioHarness.bundle("digits"))
    let plan = try EvaluationPlan(bundle, dataAt: folder.path)
    let direct = try Evaluation(plan) { (_) throws(ModelError) in try Model(bundle) }.run()
    #expect(status["state"]?.string == "completed", "\(status)")
    #expect(status["report"]?["metrics"]?["top1"]?.number == direct.metrics[0].value)
    #expect(status["report"]?["count"]?.number == 30)
    try checkReports(of: id, from: harness)
  }

  /// Checks the three formats of the report, and its images.
  private func checkReports(of id: String, from harness: StudioHarness) throws {
    let page = try harness.get("/evaluations/\(id)/report.html")
    #expect(page.text.hasPrefix("<!DOCTYPE html>") && page.text.contains("data:image/"))
    let policy = try #require(page.headers["Content-Security-Policy"])
    #expect(policy.contains("sandbox") && !policy.contains("script-src"))
    let table = try harness.get("/evaluations/\(id)/report.csv")
    #expect(table.text.hasPrefix("model,data,metric,value,unit"))
    #expect(table.text.contains("digits,images,count,30.0,"))
    let report = try EvaluationReport(json: try harness.get("/evaluations/\(id)/report.json").body)
    let best = try #require(report.results[0].samples.best.first)
    #expect(best.imagePath == best.name)
    let name = best.name.replacing("/", with: "%2F")
    let image = try harness.get("/evaluations/\(id)/image?name=\(name)")
    #expect(image.headers["Content-Type"] == "image/png")
    #expect(try Self.digits(30).contains { $0.path == best.name && $0.bytes == image.body })
    for name in ["nothing", "..%2F..%2Fetc%2Fpasswd", ""] {
      #expect(try harness.get("/evaluations/\(id)/image?name=\(name)").status == .notFound)
    }
  }

  // MARK: Annotations

  /// Uploads a file of annotations.
  private func annotate(
    _ id: String, _ name: String, _ text: String, in harness: StudioHarness
  ) throws -> HTTPResponse {
    try harness.post("/evaluations/\(id)/annotations?name=\(name)", text)
  }

  @Test func `Boxes are evaluated as those of their folder`() async throws {
    let harness = try StudioHarness([StudioHarness.bundle("shape-detector")])
    let image = try GatedStudioHost.image()
    let id = try harness.createEvaluation(of: "shape-detector")
    let text = #"""
      {"images": [{"id": 1, "file_name": "1.png", "width": 8, "height": 8}],
       "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 4, 4], "area": 16, "iscrowd": 0}],
       "categories": [{"id": 1, "name": "circle"}]}
      """#
    #expect(try annotate(id, "annotations.json", text, in: harness).status == .noContent)
    #expect(try annotate(id, "annotations.json", text, in: harness).code == "duplicate-file")
    #expect(try harness.send(.post, "/evaluations/\(id)/start").code == "no-images")
    #expect(try harness.upload("images/2.png", image, to: id).status == .noContent)
    #expect(try harness.send(.post, "/evaluations/\(id)/start").code == "missing-image")
    #expect(try harness.upload("images/1.png", image, to: id).status == .noContent)
    #expect(try harness.send(.post, "/evaluations/\(id)/start").status == .accepted)
    let status = try await harness.finalStatus(of: id)
    #expect(status["state"]?.string == "completed", "\(status.text)")
    #expect(status["report"]?["count"]?.number == 1)
    #expect(status["report"]?["metrics"]?["map50"]?.number == 0)
  }

  @Test func `A table needs no images`() async throws {
    let harness = try StudioHarness([StudioHarness.bundle("diabetes")])
    let id = try harness.createEvaluation(of: "diabetes")
    let table = """
      age,sex,bmi,bp,s1,s2,s3,s4,s5,s6,progression
      61,1,26.7,85,199,118.8,42,4.7,4.8,87,150

      """
    #expect(try annotate(id, "data.csv", table, in: harness).status == .noContent)
    #expect(try harness.send(.post, "/evaluations/\(id)/start").status == .accepted)
    let status = try await harness.finalStatus(of: id)
    #expect(status["state"]?.string == "completed", "\(status.text)")
    #expect(status["report"]?["metrics"]?["mae"]?.number != nil, "\(status.text)")
  }

  @Test(arguments: [
    ("data.csv", "image,label\n/etc/passwd.png,7\n"), ("data.csv", "image,label\n../a.png,7\n"),
    ("data.csv", "label;image\n7;/etc/passwd.png\n"),
    ("annotations.json", #"{"images": [{"id": 1, "file_name": "../../a.png"}]}"#),
    ("annotations.json", #"{"images": [{"id": 1, "file_name": "/a.png"}]}"#),
  ])
  func `Annotations refer to uploaded images only`(_ name: String, _ text: String) throws {
    let harness = try StudioHarness()
    let id = try harness.createEvaluation(of: "digits")
    #expect(try harness.upload("7/a.png", GatedStudioHost.image(), to: id).status == .noContent)
    #expect(try annotate(id, name, text, in: harness).status == .noContent)
    let response = try harness.send(.post, "/evaluations/\(id)/start")
    #expect(response.code == "missing-image", "\(response.text)")
  }

  @Test(arguments: [
    ("data.csv", "TRAIN,/etc/passwd.png,7\n", "invalid-annotations"),
    ("data.csv", "image,label\n/etc/passwd.png\n", "invalid-annotations"),
    ("data.csv", "", "bad-request"), ("table.csv", "image,label\n", "bad-request"),
    ("annotations.json", "[]", "invalid-annotations"),
    ("annotations.json", #"{"images": [{"file_name": 7}]}"#, "invalid-annotations"),
  ])
  func `Other annotations are rejected`(_ name: String, _ text: String, _ code: String) throws {
    let harness = try StudioHarness()
    let id = try harness.createEvaluation(of: "digits")
    let response = try annotate(id, name, text, in: harness)
    #expect(response.code == code, "\(response.text)")
    // Another file can take its place.
    #expect(try annotate(id, "data.csv", "image,label\n", in: harness).status == .noContent)
  }

  // MARK: Invalid requests

  @Test(arguments: [
    "7.png", "a/b/7.png", "/7.png", "7/", "../7.png", "7/..", "./7.png", "7/.7.png", ".7/7.png",
    "7//7.png", "7%5C..%2F7.png", "7/a%5Cb.png", "7/a%00.png", "7/%0A.png", "", "7/7.txt",
  ])
  func `A path that is not a label and a file name is rejected`(_ path: String) throws {
    let harness = try StudioHarness()
    let id = try harness.createEvaluation(of: "digits")
    let response = try harness.upload(path, try GatedStudioHost.image(), to: id)
    #expect(response.status == .badRequest, "\(response.text)")
    #expect(try harness.json("/evaluations/\(id)")["total"]?.number == 0)
  }

  @Test func `Long names, duplicate names and bodies that are not images are rejected`() throws {
    let harness = try StudioHarness()
    let id = try harness.createEvaluation(of: "digits")
    let image = try GatedStudioHost.image()
    let long = String(repeating: "a", count: 300) + ".png"
    #expect(try harness.upload("7/\(long)", image, to: id).status == .badRequest)
    #expect(try harness.upload("7/a.png", image, to: id).status == .noContent)
    #expect(try harness.upload("7/A.png", image, to: id).code == "duplicate-file")
    #expect(
      try harness.upload("7/b.png", Array("text".utf8), to: id).status == .unsupportedMediaType)
    #expect(try harness.upload("7/b.png", [], to: id).status == .unsupportedMediaType)
    #expect(try harness.json("/evaluations/\(id)")["total"]?.number == 1)
  }

  @Test func `Uploads are limited`() throws {
    var limits = EvaluationJobs.Limits()
    limits.uploads = .init(maxImages: 3, maxLabels: 2, maxBytes: 1 << 20)
    let harness = try StudioHarness(evaluationLimits: limits)
    let id = try harness.createEvaluation(of: "digits")
    let image = try GatedStudioHost.image()
    for path in ["1/a.png", "2/a.png"] {
      #expect(try harness.upload(path, image, to: id).status == .noContent)
    }
    #expect(try harness.upload("3/a.png", image, to: id).status == .contentTooLarge)
    #expect(try harness.upload("2/b.png", image, to: id).status == .noContent)
    #expect(try harness.upload("2/c.png", image, to: id).code == "upload-limit-exceeded")
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"model": 7}"#, #"{"model": "digits", "dataset": 7}"#,
  ])
  func `An invalid request is rejected`(_ body: String) throws {
    #expect(try StudioHarness().post("/evaluations", body).status == .badRequest)
  }

  @Test func `Unknown models, datasets and evaluations are not found`() throws {
    let harness = try StudioHarness()
    #expect(try harness.post("/evaluations", #"{"model": "unknown"}"#).status == .notFound)
    let request = #"{"model": "digits", "dataset": "nothing"}"#
    #expect(try harness.post("/evaluations", request).status == .notFound)
    for path in ["", "/report.json", "/report.csv", "/report.html", "/image?name=a"] {
      #expect(try harness.get("/evaluations/0123\(path)").status == .notFound)
    }
    #expect(try harness.send(.delete, "/evaluations/0123").status == .notFound)
    #expect(try harness.send(.post, "/evaluations/0123/start").status == .notFound)
    #expect(try harness.upload("7/a.png", [], to: "0123").status == .notFound)
  }

  @Test func `An evaluation fails if the model does not know a label`() async throws {
    let harness = try StudioHarness()
    let id = try harness.createEvaluation(of: "digits")
    #expect(try harness.send(.post, "/evaluations/\(id)/start").code == "no-images")
    #expect(
      try harness.upload("cat/a.png", try GatedStudioHost.image(), to: id).status == .noContent)
    #expect(try harness.send(.post, "/evaluations/\(id)/start").status == .accepted)
    let status = try await harness.finalStatus(of: id)
    #expect(status["state"]?.string == "failed" && status["report"] == .null)
    #expect(status["error"]?.string?.contains("cat") == true, "\(status)")
    #expect(try harness.send(.post, "/evaluations/\(id)/start").code == "already-started")
    #expect(try harness.upload("7/a.png", [], to: id).code == "already-started")
  }
}
