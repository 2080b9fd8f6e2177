import Foundation
import TensorIOTestSupport
import Testing

/// The bundle of a case file: a fixture, or one that is created for a model without a bundle.
struct CaseBundle {
  let path: String
  private var folder: TemporaryFolder?

  init(_ file: CaseFile) throws {
    if let name = file.tree["bundle"]?.string {
      path = FixturePath(name).path
      return
    }
    let model = try #require(file.tree["model"]?.string)
    let folder = try TemporaryFolder()
    try folder.write(try #require(file.tree["description"]).text, to: "case.tiobundle/model.json")
    try folder.copy(FixturePath(model).path, as: "case.tiobundle/model.tflite")
    if let labels = file.tree["labels"]?.string {
      let text = try String(contentsOfFile: FixturePath(labels).path, encoding: .utf8)
      try folder.write(text, to: "case.tiobundle/assets/labels.txt")
    }
    path = folder.path + "/case.tiobundle"
    self.folder = folder
  }
}
