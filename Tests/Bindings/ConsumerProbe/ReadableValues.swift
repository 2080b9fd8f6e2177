import TensorIO
import Testing

/// How an application prints and takes apart the values of the library.
@Suite struct ReadableValues {
  @Test func `Layers are printed without module names`() throws {
    let diabetes = try Model(at: Bundles.diabetes)
    #expect("\(diabetes.outputs)" == "[progression: array [1]]")
    let digits = try Model(at: Bundles.digits)
    #expect("\(digits.inputs)" == "[image: image [32,32,1] gray]")
    #expect("\(digits.outputs[0])" == "classification: array [10] labels labels.txt")
  }

  @Test func `A classification is a collection of labels and scores`() throws {
    let classification = Classification(labels: ["cat", "dog"], scores: [0.25, 0.75])
    #expect(classification.map(\.label) == ["cat", "dog"])
    #expect(classification.max { $0.score < $1.score }?.label == "dog")
    #expect(classification.count == 2 && classification.last?.index == 1)
    #expect(classification["dog"] == 0.75)
    #expect("\(classification[1])" == "dog 0.75")
    #expect(Classification(labels: [], scores: []).isEmpty)
  }

  @Test func `Detections and tracked objects are printed on one line`() {
    let box = BoundingBox(xmin: 40.4, ymin: 20, xmax: 240, ymax: 179.6)
    let car = Detection(label: "car", index: 2, score: 0.875, box: box)
    #expect("\(box)" == "(40, 20)–(240, 180)")
    #expect("\(car)" == "car 0.88 (40, 20)–(240, 180)")
    #expect("\([car])" == "[car 0.88 (40, 20)–(240, 180)]")
    #expect("\(TrackedObject(id: 3, detection: car))" == "#3 car 0.88 (40, 20)–(240, 180)")
    let lost = TrackedObject(id: 3, detection: car, state: .lost)
    #expect("\(lost)".hasSuffix(" lost"))
  }

  @Test func `The hardware is an option of the initializer`() throws {
    let options = OpeningOptions(sessions: 2, accelerator: .gpu)
    #expect(options.accelerator == .gpu && options.sessions == 2)
    #expect(options.threads == OpeningOptions.defaultThreads)
    let model = try Model(at: Bundles.diabetes, options: .init(accelerator: .cpu))
    #expect(model.inputs["features"]?.shape == [10])
  }

  @Test func `The error of a task's closure has a code`() async throws {
    let model = try Model(at: Bundles.diabetes)
    let code = await Task { () -> String? in
      do throws(ModelError) {
        _ = try await model.submit([1, 2, 3])
        return nil
      } catch {
        return error.code
      }
    }.value
    #expect(code == "wrong-count")
  }
}
