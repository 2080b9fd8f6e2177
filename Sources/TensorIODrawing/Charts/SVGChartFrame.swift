import TensorIOCore

/// The axes of an SVG chart and the mapping of values to coordinates.
package struct ChartFrame {
  /// An axis with its name and ticks.
  package struct Axis {
    package let name: String
    package let ticks: AxisTicks

    package init(
      name: String, ticks: AxisTicks,
      label: @escaping (Int, AxisTicks) -> String = { $1.labels[$0] }
    ) {
      self.name = name
      self.ticks = ticks
      self.label = label
    }

    /// Returns the label of a tick.
    let label: (Int, AxisTicks) -> String

    /// Returns an axis from 0 to 100 percent.
    package static func percent(_ name: String) -> Axis {
      Axis(name: name, ticks: AxisTicks(covering: 0...1, maxCount: 6)) { index, ticks in
        (ticks.values[index] * 100).formatted(decimals: 0)
          + (index == ticks.values.count - 1 ? " %" : "")
      }
    }
  }

  package static let width = 360.0
  static let height = 290.0
  private static let left = 48.0
  private static let right = 336.0
  private static let top = 12.0
  private static let bottom = 244.0

  package let horizontal: Axis
  package let vertical: Axis

  package init(horizontal: Axis, vertical: Axis) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  /// Returns the horizontal coordinate of a value.
  package func x(_ value: Double) -> Double {
    Self.left + (Self.right - Self.left) * horizontal.ticks.fraction(of: value)
  }

  /// Returns the vertical coordinate of a value.
  package func y(_ value: Double) -> Double {
    Self.bottom + (Self.top - Self.bottom) * vertical.ticks.fraction(of: value)
  }

  /// Returns the chart with its axes and content.
  package func chart(_ title: String, _ details: String, _ content: [Markup]) -> Markup {
    Markup.svg(title, details, width: Self.width, height: Self.height, [axes] + content)
  }

  /// Returns a line between two points in values of the axes.
  package func line(_ start: (Double, Double), _ end: (Double, Double), _ kind: String) -> Markup {
    .element(
      "line",
      [
        "class": kind, "x1": x(start.0).svgCoordinate, "y1": y(start.1).svgCoordinate,
        "x2": x(end.0).svgCoordinate,
        "y2": y(end.1).svgCoordinate,
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
      .element(
        "line",
        [
          "class": index == 0 ? "axis" : "grid", "x1": Self.left.svgCoordinate,
          "y1": y.svgCoordinate,
          "x2": Self.right.svgCoordinate, "y2": y.svgCoordinate,
        ]),
      .element(
        "text",
        ["class": "tick end", "x": (Self.left - 7).svgCoordinate, "y": (y + 4).svgCoordinate],
        Markup(vertical.label(index, vertical.ticks))),
    ])
  }

  private func column(_ index: Int) -> Markup {
    .element(
      "text",
      [
        "class": "tick middle", "x": x(horizontal.ticks.values[index]).svgCoordinate,
        "y": (Self.bottom + 17).svgCoordinate,
      ],
      Markup(horizontal.label(index, horizontal.ticks)))
  }

  private var names: Markup {
    let (x, y) = ((Self.left + Self.right) / 2, (Self.top + Self.bottom) / 2)
    return Markup([
      .element(
        "text",
        ["class": "name middle", "x": x.svgCoordinate, "y": (Self.height - 8).svgCoordinate],
        Markup(horizontal.name)),
      .element(
        "text",
        ["class": "name middle", "transform": "translate(13 \(y.svgCoordinate)) rotate(-90)"],
        Markup(vertical.name)),
    ])
  }
}

extension AxisTicks {
  /// Returns the position of a value along the axis, clamped to 0...1.
  fileprivate func fraction(of value: Double) -> Double {
    let length = range.upperBound - range.lowerBound
    guard length > 0, !value.isNaN else { return 0 }
    return min(max((value - range.lowerBound) / length, 0), 1)
  }
}

extension Markup {
  /// Returns an SVG image with a title and a description for accessibility.
  package static func svg(
    _ title: String, _ details: String, width: Double, height: Double, _ content: [Markup]
  ) -> Markup {
    .element(
      "svg",
      [
        "class": "chart", "role": "img",
        "viewBox": "0 0 \(width.svgCoordinate) \(height.svgCoordinate)",
        "style": "--width:\(width.svgCoordinate)",
      ],
      [.element("title", [:], Markup(title)), .element("desc", [:], Markup(details))] + content)
  }
}

extension Double {
  /// The number as an SVG coordinate, with at most one decimal.
  package var svgCoordinate: String {
    let text = formatted(decimals: 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
