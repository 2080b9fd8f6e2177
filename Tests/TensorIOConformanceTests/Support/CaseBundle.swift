import Foundation
import TensorIOTestSupport
import Testing

/// The bundle of a case file: one of the shared fixtures, or one that is created
/// for a model without a bundle.
struct CaseBundle {
  let path: String
  private var folder: TemporaryFolder?

  init(_ file: CaseFile) throws {
    if let name = file.tree["bundle"]?.string {
      path = SharedFixtures.path(name)
      return
    }
    let model = try #require(file.tree["model"]?.string)
    let folder = try TemporaryFolder()
    try folder.write(try #require(file.tree["description"]).text, to: "case.tiobundle/model.json")
    try folder.copy(SharedFixtures.path(model), as: "case.tiobundle/model.tflite")
    if let labels = file.tree["labels"]?.string {
      let text = try String(contentsOfFile: SharedFixtures.path(labels), encoding: .utf8)
      try folder.write(text, to: "case.tiobundle/assets/labels.txt")
    }
    path = folder.path + "/case.tiobundle"
    self.folder = folder
  }
}
