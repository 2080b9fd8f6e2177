import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIO

/// Models on a GPU, which is simulated by SwiftShader of Debian's package `chromium`.
///
/// The runtime and the driver are loaded into processes of their own.
@Suite(.ownThreads) struct GPUTests {
  private static let driver = "/usr/lib/chromium/vk_swiftshader_icd.json"

  /// The path of LiteRT's accelerator; `nil` if it is not installed.
  private static let library: String? = RuntimeLibrarySearch(for: .liteRTGPU).candidates()
    .first { $0.path.contains("/") && !$0.isMissing }?.path

  private static var missing: Comment? {
    if library == nil { return "litert-gpu is not installed" }
    return FileManager.default.fileExists(atPath: driver)
      ? nil : "SwiftShader (package chromium) is not installed"
  }

  /// A process with SwiftShader as the only device.
  private static let simulated = Executable(environment: [
    "LD_LIBRARY_PATH": "/usr/lib/chromium", "VK_DRIVER_FILES": driver, "VK_ICD_FILENAMES": driver,
    "TENSORIO_LITERT_GPU_LIBRARY": library ?? "",
  ])

  private static let options = ["--accelerator", "gpu", "--isolation", "none"]

  @Test(
    .enabled(if: missing == nil, missing),
    arguments: ["digits", "digits-quantized", "face-embedder", "diabetes"])
  func `A model has the same results on a GPU within 1e-4`(_ name: String) throws {
    let bundle = ProjectFiles.path("Examples/Bundles/\(name).tiobundle")
    func results(_ options: [String]) throws -> [JSONTree] {
      let result = try Self.simulated.run(["run", bundle] + options)
      try #require(result.exitCode == 0, "\(result.messages)")
      // Anything else that is printed would make the output invalid.
      #expect(result.output.split(separator: "\n").count == 1)
      let outputs = try #require(try JSONTree(result.output)["outputs"]?.object)
      #expect(!outputs.isEmpty)
      return outputs.sorted { $0.key < $1.key }.map(\.value)
    }
    let (gpu, cpu) = (try results(Self.options), try results([]))
    #expect(gpu.count == cpu.count)
    for (found, expected) in zip(gpu, cpu) {
      let (found, expected) = (numbers(in: found), numbers(in: expected))
      #expect(!found.isEmpty && found.count == expected.count)
      #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 1e-4 * max(1, abs($1)) })
    }
  }

  /// Returns the numbers in a value, in order.
  private func numbers(in tree: JSONTree) -> [Double] {
    if let number = tree.number { return [number] }
    return (tree.array ?? tree.object?.sorted { $0.key < $1.key }.map(\.value) ?? [])
      .flatMap(numbers)
  }

  @Test(.enabled(if: missing == nil, missing))
  func `Several sessions share a GPU`() throws {
    let images = (0..<4).flatMap { _ in
      ["0-1", "3-1", "8-1"].map(Example.digit).filter(FileManager.default.fileExists)
    }
    try #require(images.count >= 8)
    func rows(_ options: [String]) throws -> [JSONTree] {
      let result = try Self.simulated.run(["run", Example.digits] + images + options)
      try #require(result.exitCode == 0, "\(result.messages)")
      return try result.output.split(separator: "\n").map { line in
        try #require(try JSONTree(String(line))["outputs"]?["classification"]?[0]?["label"])
      }
    }
    let found = try rows(Self.options + ["--threads", "1"])
    #expect(found.count == images.count)
    #expect(try found == rows(["--threads", "1"]))
  }

  @Test(.enabled(if: missing == nil, missing))
  func `A model with operators that a GPU does not support is rejected`() throws {
    let result = try Self.simulated.run(
      ["run", ProjectFiles.path("Examples/Bundles/shape-detector.tiobundle")] + Self.options)
    #expect(result.exitCode == 5 && result.output.isEmpty)
    #expect(
      result.messages.contains(
        "the GPU cannot run all of its operators; run it on the processor\n"))
    let recording = try Self.simulated.run(
      ["benchmark", Example.digits, "--operators"] + Self.options)
    #expect(recording.messages.contains("recording the operators on a GPU is not supported"))
  }

  @Test(.enabled(if: missing == nil, missing))
  func `The doctor names the device`() throws {
    let result = try Self.simulated.run(["doctor"])
    #expect(result.output.contains("\nok       GPU: SwiftShader"))
  }

  @Test(.enabled(if: missing == nil, missing))
  func `A missing device is an error that names it`() throws {
    var executable = Self.simulated
    executable.environment["VK_DRIVER_FILES"] = "/nowhere.json"
    executable.environment["VK_ICD_FILENAMES"] = "/nowhere.json"
    let result = try executable.run(["run", Example.digits] + Self.options)
    #expect(result.exitCode == 5 && result.output.isEmpty)
    #expect(result.messages.contains("requires a device, and Vulkan finds none"))
  }

  @Test func `A missing accelerator is an error that says what to install`() throws {
    let executable = Executable(environment: [
      "TENSORIO_LITERT_GPU_LIBRARY": "/nowhere/libLiteRtWebGpuAccelerator.so"
    ])
    let result = try executable.run(["run", Example.digits] + Self.options)
    #expect(result.exitCode == 5 && result.output.isEmpty)
    #expect(
      result.messages.contains("(/nowhere/libLiteRtWebGpuAccelerator.so: no such file); install"))
    let doctor = try executable.run(["doctor"])
    #expect(doctor.output.contains("optional GPU: not installed\n"))
    #expect(doctor.output.contains(" runtime install litert-gpu\n"))
  }

  @Test(arguments: [
    ["--isolation", "process"], ["--isolation", "sandbox"], ["--inference-timeout", "5"],
  ])
  func `A worker process with a GPU is a usage error`(_ options: [String]) {
    let result = TestConsole.run(["run", Example.digits, "--accelerator", "gpu"] + options)
    #expect(result.exitCode == 2)
    #expect(result.messages.contains("--accelerator gpu requires --isolation none"))
  }

  @Test func `A server uses a GPU only without isolation`() {
    let result = TestConsole.run(["serve", Example.digits, "--accelerator", "gpu"])
    #expect(result.exitCode == 2)
    #expect(result.messages.contains("--accelerator gpu requires --isolation none"))
  }

  @Test func `Other runtimes and isolated models reject a GPU`() throws {
    var options = OpeningOptions()
    options.accelerator = .gpu
    let bundle = try ModelBundle(
      at: ProjectFiles.path("Examples/Bundles/digits-pretrained.tiobundle"))
    let error = try #require(throws: ModelError.self) { try Model(bundle, options: options) }
    #expect(error.stage == .runtime)
    #expect(error.reason == .unsupported("a GPU with TensorFlow"))
    let second = try #require(throws: ModelError.self) {
      try Model(
        at: Example.digits, options: OpeningOptions(isolation: Isolation(), accelerator: .gpu)
      )
    }
    #expect(second.reason == .unsupported("a GPU in a worker process"))
  }
}
