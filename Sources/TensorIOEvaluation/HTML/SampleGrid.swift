import TensorIOCore
import TensorIODrawing
import TensorIOImage
import TensorIOTasks

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The worst mistakes and the best answers, with their pictures where they have some.
struct SampleGrid {
  private let samples: SamplePredictions

  init(_ samples: SamplePredictions) { self.samples = samples }

  var markup: Markup {
    Markup([
      part("The worst mistakes", samples.worst), part("The best answers", samples.best),
    ])
  }

  private func part(_ title: StaticString, _ answers: [SamplePrediction]) -> Markup {
    guard !answers.isEmpty else { return .empty }
    let pictures = answers.map(SampleFigure.init)
    let hasBoxes = answers.contains { !$0.groundTruthBoxes.isEmpty || !$0.predictedBoxes.isEmpty }
    return Markup([
      .element("h3", [:], Markup(title.description)),
      hasBoxes
        ? .element("p", ["class": "soft"], "Dashed: what is there. Coloured: what was found.")
        : .empty,
      .element("div", ["class": "samples"], pictures.map(\.markup)), notes(pictures),
    ])
  }

  private func notes(_ pictures: [SampleFigure]) -> Markup {
    let notes = pictures.compactMap(\.note)
    guard !notes.isEmpty else { return .empty }
    return .element(
      "ul", ["class": "notes"], notes.map { .element("li", [:], Markup("No picture: \($0)")) })
  }
}

/// One answer: its picture, what it should have been, and what it was.
struct SampleFigure {
  private let sample: SamplePrediction
  private let thumbnail: Thumbnail?
  /// Why there is no picture where there should be one.
  let note: String?

  init(_ answer: SamplePrediction) {
    self.sample = answer
    guard let path = answer.imagePath else {
      (thumbnail, note) = (nil, nil)
      return
    }
    do throws(ImageError) {
      (thumbnail, note) = (try Thumbnail(of: path), nil)
    } catch {
      (thumbnail, note) = (nil, "\(answer.name.displayText): \(error)".truncated(to: 300))
    }
  }

  var markup: Markup {
    .element(
      "figure", ["class": "sample"], picture,
      .element(
        "figcaption", [:], .element("span", ["class": "name"], Markup(sample.name.displayText)),
        fact("true", sample.groundTruth, "truth"),
        fact("found", sample.prediction, sample.isCorrect ? "hit" : "miss")))
  }

  private func fact(_ name: StaticString, _ text: String, _ kind: String) -> Markup {
    .element(
      "span", ["class": "fact"], .element("i", [:], Markup(name.description)), " ",
      .element("b", ["class": kind], Markup(text.displayText)))
  }
}

// MARK: Pictures

extension SampleFigure {
  private var picture: Markup {
    guard let thumbnail else { return .empty }
    let words = "\(sample.name.displayText), true: \(sample.groundTruth.displayText), found: \(sample.prediction.displayText)"
    return .element(
      "div",
      [
        "class": "frame",
        "style": "--width:\(thumbnail.width);--height:\(thumbnail.height)",
      ],
      .element(
        "img",
        [
          "src": thumbnail.dataURL, "alt": words, "class": thumbnail.isPixelArt ? "tiny" : nil,
        ]), boxes(thumbnail))
  }

  private func boxes(_ thumbnail: Thumbnail) -> Markup {
    guard !sample.groundTruthBoxes.isEmpty || !sample.predictedBoxes.isEmpty else { return .empty }
    return .element(
      "svg",
      [
        "role": "img", "viewBox": "0 0 \(thumbnail.width) \(thumbnail.height)",
        "preserveAspectRatio": "none",
      ],
      [.element("title", [:], "Boxes"), .element("desc", [:], Markup(boxesDescription))]
        + sample.groundTruthBoxes.prefix(Self.maxShownBoxes).flatMap { box in
          [rectangle(box, "under", nil), rectangle(box, "there", nil)]
        }
        + sample.predictedBoxes.prefix(Self.maxShownBoxes).map { box in
          rectangle(box, "seen", PixelColor.forClass(box.classIndex).hexadecimal)
        })
  }

  private static let maxShownBoxes = 50

  private var boxesDescription: String {
    let names = sample.predictedBoxes.prefix(Self.maxShownBoxes).map(Self.boxesDescription)
    return names.isEmpty ? "Nothing was found." : "Found: " + names.joined(separator: ", ")
  }

  private static func boxesDescription(_ box: SampleBox) -> String {
    box.label.displayText + (box.score.map { " \($0.formatted(decimals: 2))" } ?? "")
  }

  private func rectangle(_ box: SampleBox, _ kind: String, _ colour: String?) -> Markup {
    let edges = [box.box.xmin, box.box.ymin, box.box.width, box.box.height]
    guard edges.allSatisfy(\.isFinite) else { return .empty }
    return .element(
      "rect",
      [
        "class": kind, "stroke": colour, "x": edges[0].svgCoordinate, "y": edges[1].svgCoordinate,
        "width": edges[2].svgCoordinate, "height": edges[3].svgCoordinate,
      ],
      .element("title", [:], Markup(Self.boxesDescription(box))))
  }
}

/// A small copy of a picture, as text.
struct Thumbnail: Sendable, Hashable {
  /// The longer side has no more pixels.
  static let maxSide = 160
  private static let quality = 85

  /// The copy as a `data:` address.
  let dataURL: String
  /// The width of the picture itself, upright.
  let width: Int
  /// The height of the picture itself, upright.
  let height: Int

  /// Whether the picture is so small that its pixels are to be seen.
  var isPixelArt: Bool { max(width, height) <= Self.maxSide / 2 }

  /// A copy of a picture's file.
  init(of path: String) throws(ImageError) {
    let header = try ImageHeader(contentsOf: path)
    let isLying = header.orientation.swapsDimensions
    let (width, height) =
      isLying ? (header.height, header.width) : (header.width, header.height)
    let scale = min(1, Double(Self.maxSide) / Double(max(1, width, height)))
    let preparation = ImagePreparation(
      width: Self.scaled(width, scale), height: Self.scaled(height, scale), fit: .stretch)
    let picture = try ImageBuffer(contentsOf: path, decoding: DecodingOptions(for: preparation))
    let small = try preparation(picture).image
    dataURL = try Self.dataURL(of: small)
    (self.width, self.height) = (width, height)
  }

  private static func scaled(_ side: Int, _ scale: Double) -> Int {
    max(1, Int((Double(side) * scale).rounded()))
  }

  /// Drawings are smaller without loss, photographs with some.
  private static func dataURL(of picture: ImageBuffer) throws(ImageError) -> String {
    let png = try picture.encoded(as: .png)
    let jpeg = try picture.encoded(as: .jpeg(quality: quality))
    let (type, bytes) = png.count <= jpeg.count ? ("png", png) : ("jpeg", jpeg)
    return "data:image/\(type);base64,\(Data(bytes).base64EncodedString())"
  }
}
