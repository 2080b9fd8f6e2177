import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOEvaluation
import TensorIOTasks

/// Draws the results of two models on the images whose results differ.
struct DifferenceImageWriter {
  private struct Side {
    let model: Model
    let postprocessor: TaskPostprocessor
  }

  private let folder: String
  private let sides: [(side: ComparisonSide, Side)]
  private let a: Model

  /// Creates a writer for two models.
  ///
  /// - Throws: A usage error if a model has no image input.
  init(_ folder: String, _ a: Model, _ b: Model) throws(OperationError) {
    guard [a, b].allSatisfy({ $0.callerInputs.contains(where: \.isImage) }) else {
      throw .usage("--annotate requires models with an image input")
    }
    self.folder = folder
    self.a = a
    do throws(ModelError) {
      sides = [
        (.a, Side(model: a, postprocessor: try TaskPostprocessor(a))),
        (.b, Side(model: b, postprocessor: try TaskPostprocessor(b))),
      ]
    } catch {
      throw OperationError(error)
    }
  }

  /// Runs both models again on the given items, and draws the results.
  func write(_ worst: [ComparedItem], of items: [InputItem]) throws(OperationError) {
    var names = UniqueFileStems()
    for item in worst {
      let stem = names.stem(of: items[item.index].outputNameBase)
      do {
        try write(try items[item.index].read(), stem)
      } catch {
        throw OperationError(error)
      }
    }
  }

  private func write(_ input: ModelInput, _ stem: String) throws {
    guard let image = input.firstImage(of: a.callerInputs) else { return }
    for (name, side) in sides {
      let output = try side.model.run(input.renamed(for: side.model, from: a))
      let path = try ImageOutputFolders.path(in: folder, "\(stem)-\(name.rawValue)")
      try ResultRenderer(
        sourceImage: image, result: try side.postprocessor.process(output),
        labels: LabelSelection(side.model.bundle.description.task)
      ).write(to: path)
    }
  }
}
