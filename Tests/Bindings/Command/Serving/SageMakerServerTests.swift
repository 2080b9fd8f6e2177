import Foundation
import TensorIOTestSupport
import Testing

/// `tensorio serve` as the container of an endpoint of SageMaker.
@Suite(.hangGuard, .ownThreads) struct SageMakerServerTests {
  private static let severalModels = ["SAGEMAKER_MULTI_MODEL": "true"]
  private static let prediction = #"{"instances": [[61, 1, 25.8, 90, 280, 195.4, 55, 5, 5, 90]]}"#

  private func status(_ server: ServedExamples, _ arguments: String) throws -> String {
    try server.shell("curl -s -o /dev/null -w '%{http_code}' \(arguments)").output
  }

  @Test(arguments: ["model", "model/diabetes.tiobundle"])
  func `An endpoint with several models begins without any`(place: String) throws {
    let folder = try TemporaryFolder()
    try folder.copy("\(Example.bundles)/diabetes.tiobundle", as: "1a2b/\(place)")
    let server = try ServedExamples(["--host", "127.0.0.1"], environment: Self.severalModels)
    let models = "\(server.address)/models"
    #expect(try status(server, "\(server.address)/ping") == "200")
    let url = "\(folder.path)/1a2b/model"
    let body = #"{"model_name": "m", "url": "\#(url)"}"#
    #expect(try status(server, "--json '\(body)' \(models)") == "200")
    #expect(try status(server, "--json '\(body)' \(models)") == "409")
    let invoked = try server.shell("curl -s --json '\(Self.prediction)' \(models)/m/invoke")
    #expect(try invoked.json()["predictions"]?.array?.count == 1, "\(invoked)")
    let list = try server.shell("curl -s \(models)").json()["models"]
    #expect(list?.array?.count == 1 && list?[0]?["modelUrl"]?.string == "\(folder.path)/1a2b")
    #expect(try status(server, "-X DELETE \(models)/m") == "200")
    #expect(try status(server, "\(models)/m") == "404")
    #expect(
      try status(server, "--json '{\"model_name\": \"n\", \"url\": \"/none\"}' \(models)") == "400")
    let messages = server.end().messages
    #expect(messages.contains(#""event":"model-loaded","message":"model 'm'"#), "\(messages)")
    #expect(messages.contains(#""event":"model-removed","message":"model 'm'"#))
    #expect(messages.contains(#""reason":"/none: "#), "\(messages)")
  }

  @Test func `The folder of models may be empty if the platform adds them`() throws {
    let folder = try TemporaryFolder()
    let server = try ServedExamples([folder.path], environment: Self.severalModels)
    #expect(try status(server, "\(server.address)/ping") == "200")
    #expect(server.end().exitCode == 0)
  }

  @Test func `Without arguments, the folder of the platform is served`() throws {
    let folder = try TemporaryFolder()
    try folder.copy("\(Example.bundles)/diabetes.tiobundle", as: "model")
    // The platform connects to all interfaces.
    let server = try ServedExamples(
      ["--host", "127.0.0.1"], environment: ["SAGEMAKER_BASE_DIR": folder.path])
    let invoked = try server.shell(
      "curl -s --retry 5 --json '\(Self.prediction)' \(server.address)/invocations")
    #expect(try invoked.json()["predictions"]?.array?.count == 1, "\(invoked)")
    #expect(server.end().exitCode == 0)
  }

  @Test func `A bundle without extension is served again after a change`() throws {
    let folder = try TemporaryFolder()
    try folder.copy("\(Example.bundles)/diabetes.tiobundle", as: "model")
    let server = try ServedExamples([folder.path, "--watch", "0.2"])
    try server.waitUntilReady()
    try folder.write("a note", to: "model/CARD.md")
    try server.waitForMessage(#""event":"model-replaced","message":"model 'model'"#)
    #expect(server.end().exitCode == 0)
  }
}
