import TensorIOCore
import TensorIODrawing
import TensorIOImage
import TensorIOTasks

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The worst errors and the best predictions with their images, texts or sounds.
struct SampleGrid {
  private let samples: SamplePredictions
  /// What samples show, by item name.
  private let contents: [String: SampleContent]
  /// What the ids of the images begin with.
  private let id: String

  init(_ samples: SamplePredictions, contents: [String: SampleContent] = [:], id: String) {
    (self.samples, self.contents, self.id) = (samples, contents, id)
  }

  var markup: Markup {
    Markup([
      section("Worst mistakes", samples.worst, "worst"),
      section("Best predictions", samples.best, "best"),
    ])
  }

  private func section(
    _ title: StaticString, _ predictions: [SamplePrediction], _ name: StaticString
  ) -> Markup {
    guard !predictions.isEmpty else { return .empty }
    let figures = predictions.enumerated().map { index, prediction in
      SampleFigure(
        prediction, contents[prediction.name], id: "\(id)-\(name)-\(index)")
    }
    let hasBoxes = predictions.contains {
      !$0.groundTruthBoxes.isEmpty || !$0.predictedBoxes.isEmpty
    }
    return Markup([
      .element("h3", [:], Markup(title.description)),
      hasBoxes
        ? .element("p", ["class": "secondary"], "Dashed: ground truth. Colored: predictions.")
        : .empty,
      Self.list(figures), notes(figures),
    ])
  }

  /// Returns figures side by side; texts and sounds need more width than images.
  static func list(_ figures: [SampleFigure]) -> Markup {
    let isWide = figures.contains(where: \.isWide)
    return .element(
      "div", ["class": isWide ? "samples wide" : "samples"], figures.map(\.markup))
  }

  private func notes(_ figures: [SampleFigure]) -> Markup {
    let notes = figures.compactMap(\.note)
    guard !notes.isEmpty else { return .empty }
    return .element(
      "ul", ["class": "notes"], notes.map { .element("li", [:], Markup("No image: \($0)")) })
  }
}

/// One prediction with its image, text or sound, and its ground truth.
struct SampleFigure {
  private let sample: SamplePrediction
  private let id: String
  private let thumbnail: Thumbnail?
  /// The text or the sound.
  private let content: Markup?
  /// The reason why the image could not be read.
  let note: String?

  /// Creates a figure with the item's image, or with its content; `id` is unique on the page.
  init(_ sample: SamplePrediction, _ content: SampleContent? = nil, id: String) {
    (self.sample, self.id) = (sample, id)
    switch content {
    case .texts(let texts, let sections): self.content = SampleText(texts, sections).markup
    case .sound(let sound, let sections):
      self.content = SampleSound(sound, sections, name: sample.name).markup
    case .image, nil: self.content = nil
    }
    if case .image(let drawing) = content, let thumbnail = try? Thumbnail(drawing) {
      (self.thumbnail, note) = (thumbnail, nil)
      return
    }
    guard let path = sample.imagePath else {
      (thumbnail, note) = (nil, nil)
      return
    }
    do throws(ImageError) {
      (thumbnail, note) = (try Thumbnail(of: path), nil)
    } catch {
      (thumbnail, note) = (nil, "\(sample.name.displayText): \(error)".truncated(to: 300))
    }
  }

  /// Whether the figure shows a text or a sound.
  var isWide: Bool { content != nil }

  var markup: Markup {
    .element(
      "figure", ["class": "sample"], content ?? image,
      .element(
        "figcaption", [:], .element("span", ["class": "name"], Markup(sample.name.displayText)),
        fact("actual", sample.groundTruth, "ground-truth"),
        fact("predicted", sample.prediction, sample.isCorrect ? "correct" : "incorrect")))
  }

  private func fact(_ name: StaticString, _ text: String, _ cssClass: String) -> Markup {
    .element(
      "span", ["class": "fact"], .element("i", [:], Markup(name.description)), " ",
      .element("b", ["class": cssClass], Markup(text.displayText)))
  }
}

// MARK: Images

extension SampleFigure {
  private var image: Markup {
    guard let thumbnail else { return .empty }
    let alternativeText =
      "\(sample.name.displayText), actual: \(sample.groundTruth.displayText), "
      + "predicted: \(sample.prediction.displayText)"
    let image = Markup.element(
      "img",
      [
        "src": thumbnail.dataURL, "alt": alternativeText,
        "class": thumbnail.isPixelArt ? "pixelated" : nil,
      ])
    return EnlargeableImage(
      id: id, name: alternativeText.truncated(to: 300).singleLine, width: thumbnail.width,
      height: thumbnail.height, [image, boxes(thumbnail)]
    ).markup
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
          [rectangle(box, "box-outline", nil), rectangle(box, "ground-truth-box", nil)]
        }
        + sample.predictedBoxes.prefix(Self.maxShownBoxes).map { box in
          rectangle(box, "predicted-box", PixelColor.forClass(box.classIndex).hexadecimal)
        })
  }

  private static let maxShownBoxes = 50

  private var boxesDescription: String {
    let names = sample.predictedBoxes.prefix(Self.maxShownBoxes).map(Self.boxesDescription)
    return names.isEmpty ? "No predictions" : "Predicted: " + names.joined(separator: ", ")
  }

  private static func boxesDescription(_ box: SampleBox) -> String {
    box.label.displayText + (box.score.map { " \($0.formatted(decimals: 2))" } ?? "")
  }

  private func rectangle(_ box: SampleBox, _ cssClass: String, _ color: String?) -> Markup {
    let edges = [box.box.xmin, box.box.ymin, box.box.width, box.box.height]
    guard edges.allSatisfy(\.isFinite) else { return .empty }
    return .element(
      "rect",
      [
        "class": cssClass, "stroke": color, "x": edges[0].svgCoordinate,
        "y": edges[1].svgCoordinate, "width": edges[2].svgCoordinate,
        "height": edges[3].svgCoordinate,
      ],
      .element("title", [:], Markup(Self.boxesDescription(box))))
  }
}

/// A small copy of an image as a data URL, which can still be enlarged.
struct Thumbnail: Sendable, Hashable {
  /// The maximum length of the longer side, in pixels.
  static let maxSide = 480
  /// The maximum length of the longer side of an image whose pixels are visible when it is enlarged.
  private static let maxPixelArtSide = 80
  private static let quality = 80

  /// The copy as a `data:` URL.
  let dataURL: String
  /// The width of the upright original image.
  let width: Int
  /// The height of the upright original image.
  let height: Int

  /// Whether the image is so small that it is enlarged without interpolation.
  var isPixelArt: Bool { max(width, height) <= Self.maxPixelArtSide }

  /// Creates a thumbnail of an image file.
  init(of path: String) throws(ImageError) {
    let header = try ImageHeader(contentsOf: path)
    let isSwapped = header.orientation.swapsDimensions
    let (width, height) =
      isSwapped ? (header.height, header.width) : (header.width, header.height)
    let preparation = Self.preparation(width, height)
    let image = try ImageBuffer(contentsOf: path, decoding: DecodingOptions(for: preparation))
    dataURL = try Self.dataURL(of: preparation(image).image)
    (self.width, self.height) = (width, height)
  }

  /// Creates a thumbnail of an image.
  init(_ image: ImageBuffer) throws(ImageError) {
    (width, height) = (image.width, image.height)
    dataURL = try Self.dataURL(of: Self.preparation(width, height)(image).image)
  }

  private static func preparation(_ width: Int, _ height: Int) -> ImagePreparation {
    let scale = min(1, Double(maxSide) / Double(max(1, width, height)))
    return ImagePreparation(
      width: scaled(width, scale), height: scaled(height, scale), fit: .stretch)
  }

  private static func scaled(_ side: Int, _ scale: Double) -> Int {
    max(1, Int((Double(side) * scale).rounded()))
  }

  /// Returns the smaller of PNG, which suits drawings, and JPEG, which suits photographs.
  private static func dataURL(of image: ImageBuffer) throws(ImageError) -> String {
    let png = try image.encoded(as: .png)
    let jpeg = try image.encoded(as: .jpeg(quality: quality))
    let (type, bytes) = png.count <= jpeg.count ? ("png", png) : ("jpeg", jpeg)
    return "data:image/\(type);base64,\(Data(bytes).base64EncodedString())"
  }
}
