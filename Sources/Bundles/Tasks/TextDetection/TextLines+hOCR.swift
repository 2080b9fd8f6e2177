import TensorIOCore
import TensorIOImage

extension TextLines {
  /// The lines and words with their rectangles as hOCR, which programs for scanned documents read.
  public var hOCR: String {
    let extent = imageSize.map { [0, 0, $0.width, $0.height] } ?? bounds(of: flatMap(\.corners))
    var rows = [
      #"<!DOCTYPE html>"#, #"<html><head><meta charset="utf-8">"#,
      #"<meta name="ocr-system" content="tensorio">"#,
      #"<meta name="ocr-capabilities" content="ocr_page ocr_line ocrx_word">"#, #"</head><body>"#,
      #"<div class="ocr_page" title="bbox \#(Self.text(extent))">"#,
    ]
    for line in all {
      let confidence = Int(clamping: Double(line.score * 100).rounded())
      let title = "bbox \(Self.text(bounds(of: line.corners)))"
      let words = line.words.map { word in
        let place = "bbox \(Self.text(bounds(of: word.corners))); x_wconf \(confidence)"
        return
          #"<span class="ocrx_word" title="\#(place)">\#(Self.escaped(word.text))</span>"#
      }
      let content = words.isEmpty ? Self.escaped(line.text ?? "") : words.joined(separator: " ")
      rows.append(#"<span class="ocr_line" title="\#(title)">\#(content)</span><br>"#)
    }
    return (rows + ["</div></body></html>", ""]).joined(separator: "\n")
  }

  private func bounds(of corners: [AffineMap.Point]) -> [Int] {
    let box = BoundingBox(around: corners)
    return [
      box.xmin.rounded(.down), box.ymin.rounded(.down), box.xmax.rounded(.up),
      box.ymax.rounded(.up),
    ].map { Int(clamping: $0) }
  }

  private static func text(_ numbers: [Int]) -> String {
    numbers.map { "\($0)" }.joined(separator: " ")
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
