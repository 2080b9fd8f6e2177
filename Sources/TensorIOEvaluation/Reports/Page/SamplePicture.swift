internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOTasks

/// One answer: its picture, what it should have been, and what it was.
struct SamplePicture {
  private let answer: SampleAnswer
  private let thumbnail: Thumbnail?
  /// Why there is no picture where there should be one.
  let note: String?

  init(_ answer: SampleAnswer) {
    self.answer = answer
    guard let path = answer.picture else {
      (thumbnail, note) = (nil, nil)
      return
    }
    do throws(ImageError) {
      (thumbnail, note) = (try Thumbnail(of: path), nil)
    } catch {
      (thumbnail, note) = (nil, "\(answer.name.shown): \(error)".cut(to: 300))
    }
  }

  var markup: Markup {
    .tag(
      "figure", ["class": "sample"], picture,
      .tag(
        "figcaption", [:], .tag("span", ["class": "name"], Markup(answer.name.shown)),
        fact("true", answer.truth, "truth"),
        fact("found", answer.found, answer.isRight ? "hit" : "miss")))
  }

  private func fact(_ name: StaticString, _ text: String, _ kind: String) -> Markup {
    .tag(
      "span", ["class": "fact"], .tag("i", [:], Markup(name.description)), " ",
      .tag("b", ["class": kind], Markup(text.shown)))
  }
}

// MARK: Pictures

extension SamplePicture {
  private var picture: Markup {
    guard let thumbnail else { return .nothing }
    let words = "\(answer.name.shown), true: \(answer.truth.shown), found: \(answer.found.shown)"
    return .tag(
      "div",
      [
        "class": "frame",
        "style": "--width:\(thumbnail.width);--height:\(thumbnail.height)",
      ],
      .tag(
        "img",
        [
          "src": thumbnail.address, "alt": words, "class": thumbnail.isTiny ? "tiny" : nil,
        ]), boxes(thumbnail))
  }

  private func boxes(_ thumbnail: Thumbnail) -> Markup {
    guard !answer.trueBoxes.isEmpty || !answer.foundBoxes.isEmpty else { return .nothing }
    return .tag(
      "svg",
      [
        "role": "img", "viewBox": "0 0 \(thumbnail.width) \(thumbnail.height)",
        "preserveAspectRatio": "none",
      ],
      [.tag("title", [:], "Boxes"), .tag("desc", [:], Markup(words))]
        + answer.trueBoxes.prefix(Self.shownBoxes).flatMap { box in
          [rectangle(box, "under", nil), rectangle(box, "there", nil)]
        }
        + answer.foundBoxes.prefix(Self.shownBoxes).map { box in
          rectangle(box, "seen", PixelColor.forClass(box.index).hexadecimal)
        })
  }

  private static let shownBoxes = 50

  private var words: String {
    let names = answer.foundBoxes.prefix(Self.shownBoxes).map(Self.words)
    return names.isEmpty ? "Nothing was found." : "Found: " + names.joined(separator: ", ")
  }

  private static func words(_ box: SampleBox) -> String {
    box.label.shown + (box.score.map { " \($0.fixed(2))" } ?? "")
  }

  private func rectangle(_ box: SampleBox, _ kind: String, _ colour: String?) -> Markup {
    let edges = [box.box.xmin, box.box.ymin, box.box.width, box.box.height]
    guard edges.allSatisfy(\.isFinite) else { return .nothing }
    return .tag(
      "rect",
      [
        "class": kind, "stroke": colour, "x": edges[0].place, "y": edges[1].place,
        "width": edges[2].place, "height": edges[3].place,
      ],
      .tag("title", [:], Markup(Self.words(box))))
  }
}
