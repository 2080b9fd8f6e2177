internal import TensorIOCore
internal import TensorIOImage

/// The axes of a chart: where numbers go, and the lines and words around them.
struct ChartFrame {
  /// What an axis counts, and its ticks.
  struct Axis {
    let name: String
    let ticks: AxisTicks
    /// What stands for a tick's number.
    var label: (Int, AxisTicks) -> String = { $1.labels[$0] }

    /// From 0 to 1, in percent.
    static func share(_ name: String) -> Axis {
      Axis(name: name, ticks: AxisTicks(covering: 0...1, atMost: 6)) { index, ticks in
        (ticks.values[index] * 100).fixed(0) + (index == ticks.values.count - 1 ? " %" : "")
      }
    }
  }

  static let width = 360.0
  static let height = 290.0
  private static let left = 48.0
  private static let right = 336.0
  private static let top = 12.0
  private static let bottom = 244.0

  let horizontal: Axis
  let vertical: Axis

  /// Where a number of the horizontal axis is.
  func x(_ value: Double) -> Double {
    Self.left + (Self.right - Self.left) * horizontal.ticks.share(of: value)
  }

  /// Where a number of the vertical axis is.
  func y(_ value: Double) -> Double {
    Self.bottom + (Self.top - Self.bottom) * vertical.ticks.share(of: value)
  }

  /// The chart: its axes, and what is drawn over them.
  func chart(_ title: String, _ details: String, _ content: [Markup]) -> Markup {
    Markup.svg(title, details, width: Self.width, height: Self.height, [axes] + content)
  }

  /// A line from one place to another.
  func line(_ start: (Double, Double), _ end: (Double, Double), _ kind: String) -> Markup {
    .tag(
      "line",
      [
        "class": kind, "x1": x(start.0).place, "y1": y(start.1).place, "x2": x(end.0).place,
        "y2": y(end.1).place,
      ])
  }
}

// MARK: Axes

extension ChartFrame {
  private var axes: Markup {
    Markup(
      vertical.ticks.values.indices.map(row) + horizontal.ticks.values.indices.map(column)
        + [names])
  }

  private func row(_ index: Int) -> Markup {
    let y = y(vertical.ticks.values[index])
    return Markup([
      .tag(
        "line",
        [
          "class": index == 0 ? "axis" : "grid", "x1": Self.left.place, "y1": y.place,
          "x2": Self.right.place, "y2": y.place,
        ]),
      .tag(
        "text", ["class": "tick end", "x": (Self.left - 7).place, "y": (y + 4).place],
        Markup(vertical.label(index, vertical.ticks))),
    ])
  }

  private func column(_ index: Int) -> Markup {
    .tag(
      "text",
      [
        "class": "tick middle", "x": x(horizontal.ticks.values[index]).place,
        "y": (Self.bottom + 17).place,
      ],
      Markup(horizontal.label(index, horizontal.ticks)))
  }

  private var names: Markup {
    let (x, y) = ((Self.left + Self.right) / 2, (Self.top + Self.bottom) / 2)
    return Markup([
      .tag(
        "text", ["class": "name middle", "x": x.place, "y": (Self.height - 8).place],
        Markup(horizontal.name)),
      .tag(
        "text", ["class": "name middle", "transform": "translate(13 \(y.place)) rotate(-90)"],
        Markup(vertical.name)),
    ])
  }
}

extension AxisTicks {
  /// How far along the axis a value is, from 0 to 1; what is beyond stays at the end.
  fileprivate func share(of value: Double) -> Double {
    let length = range.upperBound - range.lowerBound
    guard length > 0, !value.isNaN else { return 0 }
    return min(max((value - range.lowerBound) / length, 0), 1)
  }
}

extension Markup {
  /// A drawing with its title and its description, for those who do not see it.
  static func svg(
    _ title: String, _ details: String, width: Double, height: Double, _ content: [Markup]
  ) -> Markup {
    .tag(
      "svg",
      [
        "class": "chart", "role": "img", "viewBox": "0 0 \(width.place) \(height.place)",
        "style": "--width:\(width.place)",
      ],
      [.tag("title", [:], Markup(title)), .tag("desc", [:], Markup(details))] + content)
  }
}

extension Double {
  /// The number as a place in a drawing: to a tenth, as short as it can be.
  var place: String {
    let text = fixed(1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
