import TensorIOBundle
import TensorIOCore
import TensorIOSystem

// The checks of wrong inputs, wrong shapes and wrong files. After each error a correct run follows.

extension ConformanceSubject {
  func checkWrongInputs() throws(ConformanceStop) {
    let opened = try open()
    for (action, inputs) in try wrongInputs() {
      let error = try requireError("running with \(action)") { () throws(ModelError) in
        try opened.run(inputs.modelInput)
      }
      try require(
        error.stage == .input, "running with \(action) is an error of the stage \(error.stage)")
      try run(opened, on: firstSample())
    }
  }

  func firstSample() throws(ConformanceStop) -> ConformanceModel.Sample {
    guard let sample = model.samples.first else { throw .notApplicable("there are no samples") }
    return sample
  }

  /// Returns inputs that the model cannot run on, by what is wrong with them.
  private func wrongInputs() throws(ConformanceStop) -> [(String, [String: Tensor])] {
    let inputs = try firstSample().inputs
    var wrong: [(String, [String: Tensor])] = [("no input", [:])]
    var more = inputs
    more["no such input"] = Tensor([1] as [Float])
    wrong.append(("an input that does not exist", more))
    for (layer, tensor) in zip(self.inputs, signature.inputs) {
      let value = try input(layer.name, of: firstSample())
      if inputs.count > 1 {
        var fewer = inputs
        fewer[layer.name] = nil
        wrong.append(("no value of '\(layer.name)'", fewer))
      }
      func change(_ action: String, _ tensor: Tensor) {
        var changed = inputs
        changed[layer.name] = tensor
        wrong.append(("\(action) for '\(layer.name)'", changed))
      }
      guard tensor.elementType != .string else {
        change("numbers in place of strings", Tensor([Float](repeating: 1, count: value.count)))
        continue
      }
      change(
        "strings in place of numbers", Tensor(Strings(Array(repeating: "1", count: value.count))))
      if !tensor.shape.isDynamic {
        change("too many numbers", Tensor([Float](repeating: 1, count: value.count + 1)))
        change("no numbers", Tensor([] as [Float]))
      }
    }
    return wrong
  }

  func checkWrongShapes() throws(ConformanceStop) {
    let (session, sample) = (try makeSession(), try firstSample())
    let shapes = try shapes(of: sample)
    guard let first = shapes.first else { throw .notApplicable("the model has no inputs") }
    let rest = Array(shapes.dropFirst())
    let wrong: [(String, [[Int]])] = [
      ("too few shapes", rest), ("too many shapes", shapes + [first]),
      ("a negative length", [[-2] + first.dropFirst()] + rest),
      ("a size that overflows", [[.max] + first.dropFirst() + [4]] + rest),
      ("too many dimensions", [first + [1, 7]] + rest),
    ]
    for (action, shapes) in wrong {
      try requireError("resizing to \(action)") { () throws(ModelError) in
        try session.resize(shapes)
      }
      try reset(session)
      try run(session, on: sample)
    }
  }

  func checkInterruptedRuns() throws(ConformanceStop) {
    let (session, sample) = (try makeSession(), try firstSample())
    let interruption = ModelError(.input, .failed("interrupted by the conformance suite"))
    if let numeric = signature.inputs.firstIndex(where: { $0.elementType != .string }) {
      try fill(session, with: sample)
      let error = try requireError("an error while an input is filled") { () throws(ModelError) in
        try session.fill(numeric) { (_) throws(ModelError) in throw interruption }
      }
      try require(
        error.reason == interruption.reason, "'fill' throws \(error), not the error of its closure")
      session.abilities.discardInputs?()
    }
    try run(session, on: sample)
    if let numeric = signature.outputs.firstIndex(where: { $0.elementType != .string }) {
      let error = try requireError("an error while an output is read") { () throws(ModelError) in
        try session.read(numeric) { (_, _) throws(ModelError) in throw interruption }
      }
      try require(
        error.reason == interruption.reason, "'read' throws \(error), not the error of its closure")
      // Outputs can be read again.
      try compare(read(session), with: sample.outputs)
    }
  }

  func checkFiles() throws(ConformanceStop) {
    let use = ModelBinding(bundle.description, mode: .predict, threads: 1)
    let file = try attempt("finding the model") { () throws(ModelError) in
      try bundle.modelFile(for: .predict)
    }
    let folder: String
    do throws(FileError) {
      folder = try FileSystem.createTemporaryDirectory("tensorio-conformance")
      try writeFile([], "\(folder)/empty")
      try writeFile(Array(repeating: 0xA5, count: 4096), "\(folder)/noise")
    } catch {
      throw .failed("writing files for the check: \(error)")
    }
    defer { FileSystem.remove(folder) }
    for name in ["missing", "empty", "noise"] {
      let error = try requireError("loading a file that is \(name)") { () throws(ModelError) in
        let loaded = try backend.load(
          ModelFile(path: "\(folder)/\(name)", name: file.name), for: use)
        _ = try loaded.makeSession(SessionOptions())
      }
      try require(
        error.stage == .runtime || error.stage == .bundle,
        "loading a file that is \(name) is an error of the stage \(error.stage)")
    }
  }
}

private func writeFile(_ bytes: [UInt8], _ path: String) throws(FileError) {
  let file = try WritableFile(creating: path)
  try file.write(bytes, at: 0)
  try file.close()
}
