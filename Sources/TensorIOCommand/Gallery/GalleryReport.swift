internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOTasks

/// Prints what a gallery says: lines for people, or one JSON object a line.
struct GalleryReport {
  let isJSON: Bool
  let console: Console

  /// Prints one thing in both forms.
  func write(_ text: String, _ members: (inout JSONWriter) -> Void) {
    guard isJSON else { return console.print(text.printable) }
    var writer = JSONWriter(.compact)
    writer.object(members)
    console.output(writer.bytes + Array("\n".utf8))
  }

  /// Who is in a picture.
  func write(_ picture: String, _ found: [(Embedder.Found, Recognition)]) {
    let texts = found.map { found, recognition in Self.text(recognition, found.detection?.box) }
    let shown = texts.isEmpty ? "nobody" : texts.joined(separator: ", ")
    write("\(picture)  \(shown)") { writer in
      writer.member("input", picture)
      writer.member(
        "recognised",
        array: { writer in
          for (found, recognition) in found {
            writer.object { Self.write(recognition, found.detection?.box, to: &$0) }
          }
        })
    }
  }

  /// What went wrong with a picture.
  func write(_ picture: String, _ failure: CommandFailure) {
    console.fail(failure)
    guard isJSON else { return }
    write("") { writer in
      writer.member("input", picture)
      writer.member(
        "error",
        object: { writer in
          writer.member("code", failure.code)
          writer.member("message", failure.message)
        })
    }
  }

  private static func text(_ recognition: Recognition, _ box: Box?) -> String {
    let name = recognition.name ?? Recognition.stranger
    let distance = recognition.distance.map { " \($0.fixed(4))" } ?? ""
    let place = box.map { " at \(Int(clamping: $0.xmin)), \(Int(clamping: $0.ymin))" } ?? ""
    return name + distance + place
  }

  private static func write(
    _ recognition: Recognition, _ box: Box?, to writer: inout JSONWriter
  ) {
    writer.member("name", recognition.name ?? Recognition.stranger)
    writer.member("known", recognition.name != nil)
    if let distance = recognition.distance { writer.member("distance", distance) }
    writer.member("votes", recognition.votes)
    writer.member(
      "neighbours",
      array: { writer in
        for neighbor in recognition.neighbors {
          writer.object { writer in
            writer.member("name", neighbor.name)
            writer.member("distance", neighbor.distance)
          }
        }
      })
    guard let box else { return }
    writer.member(
      "box",
      object: { writer in
        for (name, edge) in box.edges { writer.member(name, edge) }
      })
  }
}
