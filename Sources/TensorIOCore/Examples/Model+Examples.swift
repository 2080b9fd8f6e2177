extension Model {
  /// Runs the bundle's examples and says where something else comes out than they say.
  public func problemsOfExamples() -> [Problem] {
    bundle.description.examples.enumerated().flatMap { index, example in
      problems(of: example, at: "/examples/\(index)")
    }
  }

  private func problems(of example: ModelExample, at path: String) -> [Problem] {
    do throws(ModelError) {
      let output = try run(try bundle.input(of: example))
      var problems: [Problem] = []
      for layer in output.layers {
        if let problem = try problem(of: layer, in: example, at: path) { problems.append(problem) }
      }
      return problems
    } catch {
      return [
        Problem(
          .error, .exampleFailed, path: path, expected: "an example that runs", found: error.code,
          message: "The example does not run: \(error).")
      ]
    }
  }

  private func problem(
    of layer: ModelOutput.Layer, in example: ModelExample, at path: String
  ) throws(ModelError) -> Problem? {
    guard let text = example.output[layer.name] else { return nil }
    let expectation = Expectation(
      json: try bundle.exampleValue(text), tolerance: example.tolerance, bundle: bundle)
    guard let difference = try expectation.difference(from: layer.value) else { return nil }
    return Problem(
      .error, .exampleMismatch, path: path + "/output/" + JSONPointer.escape(layer.name),
      expected: difference.expected, found: difference.found,
      message: "The output '\(layer.name)' is not what the example says.")
  }
}
