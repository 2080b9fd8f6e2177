import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// The environment variables of OpenTelemetry.
@Suite struct OpenTelemetryOptionsTests {
  private func options(
    _ variables: [String: String], endpoint: String? = nil
  ) -> OpenTelemetryOptions {
    OpenTelemetryOptions(endpoint: endpoint) { variables[$0] }
  }

  @Test(
    arguments: [
      ([:], nil), (["OTEL_EXPORTER_OTLP_ENDPOINT": ""], nil),
      (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:4318"], "http://a:4318/v1/traces"),
      (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://a/otel/"], "http://a/otel/v1/traces"),
      (
        [
          "OTEL_EXPORTER_OTLP_ENDPOINT": "http://a",
          "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://b/spans",
        ], "http://b/spans"
      ),
      (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_SDK_DISABLED": "true"], nil),
      (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_TRACES_EXPORTER": "none"], nil),
    ] as [([String: String], String?)])
  func `The collector is that of the variables`(variables: [String: String], url: String?) {
    #expect(options(variables).endpoint == url)
    #expect(options(variables, endpoint: "http://c").endpoint == "http://c")
  }

  @Test func `The name of the service precedes the attribute`() {
    let attributes = "deployment.environment=a%20b, service.name=x,invalid"
    let named = options([
      "OTEL_RESOURCE_ATTRIBUTES": attributes, "OTEL_SERVICE_NAME": "classifier",
    ]).attributes
    #expect(named.map(\.name) == ["deployment.environment", "service.name"])
    #expect(named.map(\.value) == ["a b", "classifier"])
    #expect(options(["OTEL_RESOURCE_ATTRIBUTES": attributes]).attributes.last?.value == "x")
  }

  @Test(
    arguments: [
      (nil, nil, 1), ("always_off", nil, 0), ("parentbased_always_on", nil, 1),
      ("parentbased_traceidratio", "0.25", 0.25), ("traceidratio", "2", 1),
    ] as [(String?, String?, Double)])
  func `A sampler selects a fraction of requests`(
    sampler: String?, argument: String?, ratio: Double
  ) {
    var variables: [String: String] = [:]
    variables["OTEL_TRACES_SAMPLER"] = sampler
    variables["OTEL_TRACES_SAMPLER_ARG"] = argument
    #expect(options(variables).samplingRatio == ratio)
  }

  @Test func `Attributes are those of the resource`() throws {
    let named = options(["OTEL_SERVICE_NAME": "classifier"])
    for (options, name) in [(named, "classifier"), (OpenTelemetryOptions(), "tensorio")] {
      let exporter = try #require(
        SpanExporter(endpoint: "http://a", options, version: "2") { _ in })
      let tree = try JSONTree(String(decoding: exporter.body(of: []), as: UTF8.self))
      let attributes = tree["resourceSpans"]?[0]?["resource"]?["attributes"]?.array
      #expect(attributes?.map { $0["key"]?.string } == ["service.name", "service.version"])
      #expect(attributes?[0]["value"]?["stringValue"]?.string == name)
    }
  }
}
