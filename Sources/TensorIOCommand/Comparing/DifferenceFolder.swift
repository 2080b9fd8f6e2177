internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOEvaluation
internal import TensorIOImage

/// Where the pictures lie on which two models differ, with what each of them says of it.
struct DifferenceFolder {
  private struct Side {
    let model: Model
    let tasks: TaskAnswering
  }

  private let folder: String
  private let sides: [(side: ComparedSide, Side)]
  private let a: Model

  /// A folder for what two models say; they have to take pictures.
  init(_ folder: String, _ a: Model, _ b: Model) throws(CommandFailure) {
    guard [a, b].allSatisfy({ $0.askedInputs.contains(where: \.isPicture) }) else {
      throw .usage("--save draws on the picture that goes in, and this model takes none")
    }
    self.folder = folder
    self.a = a
    do throws(ModelError) {
      sides = [
        (.a, Side(model: a, tasks: try TaskAnswering(a))),
        (.b, Side(model: b, tasks: try TaskAnswering(b))),
      ]
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Runs both models again on some items, and draws what they say.
  func save(_ worst: [ComparedItem], of items: [Item]) throws(CommandFailure) {
    var names = StemNames()
    for item in worst {
      let stem = names.stem(of: items[item.index].fileName)
      do {
        try save(try items[item.index].read(), stem)
      } catch let error as ModelError {
        throw CommandFailure(error)
      } catch let failure as CommandFailure {
        throw failure
      } catch {
        throw CommandFailure("failed", "\(error)", exit: .run)
      }
    }
  }

  private func save(_ input: ModelInput, _ stem: String) throws {
    guard let picture = input.firstImage(of: a.askedInputs) else { return }
    for (name, side) in sides {
      let output = try side.model.run(input.told(for: side.model, as: a))
      let path = try PictureFolders.path(in: folder, "\(stem)-\(name.rawValue)")
      try AnswerDrawing(
        picture: picture, answer: try side.tasks.answer(output),
        labels: LabelSelection(side.model.bundle.description.task)
      ).write(to: path)
    }
  }
}
