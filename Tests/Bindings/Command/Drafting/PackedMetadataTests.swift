import Foundation
import TensorIO
import TensorIOBundle
import TensorIOTestSupport
import Testing

@Suite(.ownThreads) struct PackedMetadataTests {
  private static let bundles = [
    "digits", "digits-quantized", "shape-detector", "negative", "diabetes",
    "two-in-two-out-quantized",
  ].map { ProjectFiles.path("Examples/Bundles/\($0).tiobundle") }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Packs the description of a bundle into a copy of its model, and returns its path.
  private func pack(_ bundle: String, to name: String = "packed.tflite") -> String {
    let path = folder.path + "/" + name
    let outcome = TestConsole.run(["pack", bundle, "--into", path])
    #expect(outcome.exitCode == 0 && outcome.lines == [path], "\(outcome.messages)")
    return path
  }

  private func draft(_ model: String) throws -> ModelBundle {
    let path = folder.path + "/drafted.tiobundle"
    let outcome = TestConsole.run(["init", model, "-o", path, "--force"])
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    return try ModelBundle(at: path)
  }

  @Test(arguments: bundles)
  func `A bundle drafted from a packed model has the original's description`(
    _ path: String
  ) throws {
    let original = try ModelBundle(at: path)
    let drafted = try draft(pack(path))
    #expect(drafted.name == original.name && drafted.details == original.details)
    #expect(drafted.version == original.version && drafted.author == original.author)
    #expect(drafted.license == original.license)
    let (layers, expected) = (drafted.description, original.description)
    #expect(layers.inputs.map(\.name) == expected.inputs.map(\.name))
    #expect(layers.inputs.map(\.pixels) == expected.inputs.map(\.pixels))
    #expect(layers.outputs.map(\.name) == expected.outputs.map(\.name))
    #expect(layers.outputs.map(\.role) == expected.outputs.map(\.role))
    #expect(layers.task?.type == expected.task?.type)
    let threshold = { (task: TaskDescription?) in task?.settings["threshold"] }
    #expect(threshold(layers.task) == threshold(expected.task))
    for (layer, other) in zip(layers.outputs, expected.outputs) {
      #expect(try drafted.labels(for: layer) == original.labels(for: other))
    }
  }

  @Test(arguments: bundles)
  func `A packed model has identical outputs`(_ path: String) throws {
    let copy = folder.path + "/copy.tiobundle"
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    try FileManager.default.removeItem(atPath: copy + "/model.tflite")
    try FileManager.default.copyItem(atPath: pack(path), toPath: copy + "/model.tflite")
    #expect(TestConsole.run(["validate", copy]).exitCode == 0)
    for sample in ProjectFiles.entries(of: path + "/samples").prefix(3) {
      let input = sample.hasSuffix(".json") ? "@" + sample : sample
      let outputs = try [path, copy].map {
        try TestConsole.run(["run", $0, input, "--format", "json"]).json()["outputs"]
      }
      #expect(outputs[0] != nil && outputs[0] == outputs[1])
    }
  }

  @Test func `Tools for archives find the labels in a packed model`() throws {
    let model = pack(Example.digits)
    let unzip = Process()
    unzip.executableURL = URL(filePath: "/usr/bin/env")
    unzip.arguments = [
      "python3", "-c",
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; "
        + "assert {i.compress_type for i in z.infolist()} == {0}; "
        + "sys.stdout.write(z.read('labels.txt').decode())", model,
    ]
    let output = Pipe()
    unzip.standardOutput = output
    try unzip.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    unzip.waitUntilExit()
    #expect(unzip.terminationStatus == 0)
    #expect(text == (0...9).map { "\($0)\n" }.joined())
  }

  @Test func `Packing replaces existing metadata and labels`() throws {
    let first = try draft(pack(Example.digits))
    try (0...9).map { "digit \($0)\n" }.joined().write(
      toFile: first.folderPath + "/assets/labels.txt", atomically: true, encoding: .utf8)
    let model = pack(first.path, to: "again.tflite")
    #expect(try Data(contentsOf: URL(filePath: model)).count < 2 * modelByteCount)
    let second = try draft(model)
    #expect(try second.labels(for: second.description.outputs[0]).last == "digit 9")
  }

  /// Copies a bundle and adds a calibration to an output.
  private func calibrated(
    _ bundle: String, after text: String, _ calibration: String
  ) throws -> String {
    let copy = folder.path + "/calibrated.tiobundle"
    try FileManager.default.copyItem(atPath: bundle, toPath: copy)
    let json = copy + "/model.json"
    let description = try String(contentsOfFile: json, encoding: .utf8)
    let member = #", "calibration": {"file": "c.txt", "transform": "logit", "default": -1}"#
    try #require(description.contains(text))
    try description.replacing(text, with: text + member, maxReplacements: 1)
      .write(toFile: json, atomically: true, encoding: .utf8)
    try calibration.write(toFile: copy + "/assets/c.txt", atomically: true, encoding: .utf8)
    return copy
  }

  @Test(
    arguments: [
      ("digits", #""labels": "labels.txt""#, "samples/3-1.png"),
      ("shape-detector", #""role": "scores""#, "samples/1.jpg"),
    ])
  func `Calibrations survive packing and drafting`(
    _ name: String, _ member: String, _ sample: String
  ) throws {
    let bundle = ProjectFiles.path("Examples/Bundles/\(name).tiobundle")
    let count = try String(contentsOfFile: bundle + "/assets/labels.txt", encoding: .utf8)
      .split(separator: "\n").count
    let lines = (0..<count).map { $0 == 1 ? "" : "0.\($0 + 1),1.5,-0.25,0.001" }
    let original = try calibrated(bundle, after: member, lines.joined(separator: "\n"))
    let drafted = try draft(pack(original))
    let calibrations = drafted.description.outputs.compactMap(\.calibration)
    #expect(calibrations.map(\.transform) == [.logit] && calibrations.map(\.defaultScore) == [-1])
    let input = bundle + "/" + sample
    let uncalibrated = try TestConsole.run(["run", bundle, input, "--format", "json"]).json()
    let results = try [original, drafted.path].map {
      try TestConsole.run(["run", $0, input, "--format", "json"]).json()["outputs"]
    }
    #expect(results[0] != nil && results[0] == results[1])
    #expect(results[0] != uncalibrated["outputs"])
  }

  @Test func `A missing or invalid calibration is reported where it is declared`() throws {
    for (text, code) in [(nil, "missing-calibration-file"), ("1,2", "unreadable-file")] {
      let bundle = try calibrated(Example.digits, after: #""labels": "labels.txt""#, text ?? "")
      if text == nil { try FileManager.default.removeItem(atPath: bundle + "/assets/c.txt") }
      let report = try TestConsole.run(["validate", bundle, "--format", "json"]).json()
      let diagnostic = report["diagnostics"]?.array?.first { $0["code"]?.string == code }
      #expect(diagnostic?["path"]?.string == "/outputs/0/calibration/file", "\(report)")
      try FileManager.default.removeItem(atPath: bundle)
    }
  }

  private var modelByteCount: Int {
    get throws { try Data(contentsOf: URL(filePath: Example.digits + "/model.tflite")).count }
  }

  @Test func `Skipped and missing labels keep the indices of the values`() throws {
    let bundle = folder.path + "/x.tiobundle"
    try FileManager.default.copyItem(
      atPath: ProjectFiles.path("Examples/Bundles/shape-detector.tiobundle"), toPath: bundle)
    let labels = bundle + "/assets/labels.txt"
    let json = bundle + "/model.json"
    let texts = try (
      labels: String(contentsOfFile: labels, encoding: .utf8),
      json: String(contentsOfFile: json, encoding: .utf8)
    )
    try ("nothing\n" + texts.labels).write(toFile: labels, atomically: true, encoding: .utf8)
    try texts.json.replacing(
      "\"labels\": \"labels.txt\"",
      with: "\"labels\": {\"file\": \"labels.txt\", \"offset\": 1}"
    ).write(toFile: json, atomically: true, encoding: .utf8)
    let drafted = try draft(pack(bundle))
    let classes = try #require(drafted.description.outputs.first { $0.labelsFile != nil })
    #expect(
      try drafted.labels(for: classes) == texts.labels.split(separator: "\n").map(String.init))
  }

  @Test func `The normalization by mean and deviation is kept`() throws {
    let bundle = folder.path + "/x.tiobundle"
    try FileManager.default.copyItem(
      atPath: ProjectFiles.path("Examples/Bundles/shape-detector.tiobundle"), toPath: bundle)
    let json = bundle + "/model.json"
    try String(contentsOfFile: json, encoding: .utf8).replacing(
      "\"standard\": \"[0,1]\"",
      with: "\"mean\": [0.485, 0.456, 0.406], \"std\": [0.229, 0.224, 0.225]"
    ).write(toFile: json, atomically: true, encoding: .utf8)
    let expected = try #require(ModelBundle(at: bundle).description.inputs[0].pixels)
    let drafted = try #require(draft(pack(bundle)).description.inputs[0].pixels)
    let numbers = { (pixels: Pixels) in
      [pixels.normalize?.scale, pixels.normalize?.bias].compactMap { $0 }.flatMap {
        [$0.red, $0.green, $0.blue]
      }
    }
    #expect(numbers(expected).count == 6)
    for (number, other) in zip(numbers(drafted), numbers(expected)) {
      #expect(abs(number - other) <= 8 * abs(other).ulp)
    }
  }

  @Test func `An existing file is kept without --force`() throws {
    let path = try folder.write("mine", to: "model.tflite")
    let outcome = TestConsole.run(["pack", Example.digits, "--into", path])
    #expect(outcome.exitCode == 2 && outcome.firstMessageLine.contains("--force"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    #expect(TestConsole.run(["pack", Example.digits, "--into", path, "--force"]).exitCode == 0)
  }

  @Test func `A model of another runtime is rejected`() throws {
    let bundle = ProjectFiles.path("Tests/Fixtures/TensorFlow/keras.tiobundle")
    let outcome = TestConsole.run(["pack", bundle, "--into", folder.path + "/x.tflite"])
    #expect(outcome.exitCode == 5)
    #expect(outcome.firstMessageLine.contains("metadata in a model of the backend 'tensorflow'"))
  }

  @Test(arguments: [["-o", "x.zip"], ["--manifest"]])
  func `Options of zip files cannot be combined with a model`(_ words: [String]) {
    let outcome = TestConsole.run(["pack", Example.digits, "--into", "x.tflite"] + words)
    #expect(outcome.exitCode == 2)
    #expect(outcome.firstMessageLine.contains("--into cannot be combined with"))
  }
}

/// How the pixels of an image are passed to the model.
private struct Pixels: Equatable {
  let format: PixelFormat
  let normalize: Normalization?
}

extension Layer {
  /// How pixels are passed to the model; `nil` if the layer is no image.
  fileprivate var pixels: Pixels? {
    guard case .image(let image) = kind else { return nil }
    return Pixels(format: image.format, normalize: image.normalize)
  }
}
