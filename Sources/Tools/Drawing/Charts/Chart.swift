/// A chart: a plot with axes, or a matrix.
///
/// A chart is data; it is drawn as an image with ``image(width:height:)``.
///
/// ```swift
/// import TensorIODrawing
///
/// let plot = Chart.Plot(
///   horizontal: Chart.Axis("epoch", scale: .integers), vertical: Chart.Axis("loss"),
///   marks: [.line(Chart.Series("training", points: [.init(1, 0.9), .init(2, 0.4)]))])
/// let chart = Chart("digits", .plot(plot))
/// try chart.image(width: 960, height: 600).write(to: "loss.png")
/// ```
package struct Chart: Sendable, Hashable {
  /// The content of a chart.
  package enum Content: Sendable, Hashable {
    /// Marks on two axes.
    case plot(Plot)
    /// A matrix of classes.
    case matrix(Matrix)
  }

  /// The title.
  package var title: String
  /// The main values as text, for readers who cannot see the chart.
  package var summary: String
  /// A sentence below the chart; `nil` if there is none.
  package var caption: String?
  /// The content.
  package var content: Content

  /// Creates a chart.
  ///
  /// - Parameters:
  ///   - title: The title.
  ///   - content: The plot or matrix.
  ///   - summary: The main values as text, for readers who cannot see the chart.
  ///   - caption: A sentence below the chart.
  package init(_ title: String, _ content: Content, summary: String = "", caption: String? = nil) {
    (self.title, self.content) = (title, content)
    (self.summary, self.caption) = (summary, caption)
  }
}

extension Chart {
  /// Marks on two axes.
  package struct Plot: Sendable, Hashable {
    /// The horizontal axis.
    package var horizontal: Axis
    /// The vertical axis.
    package var vertical: Axis
    /// The marks; later ones are drawn on top.
    package var marks: [Mark]

    /// Creates a plot.
    ///
    /// - Parameters:
    ///   - horizontal: The horizontal axis.
    ///   - vertical: The vertical axis.
    ///   - marks: The marks; later ones are drawn on top.
    package init(horizontal: Axis, vertical: Axis, marks: [Mark]) {
      (self.horizontal, self.vertical, self.marks) = (horizontal, vertical, marks)
    }
  }

  /// An axis of a plot.
  package struct Axis: Sendable, Hashable {
    /// The values of the ticks.
    package enum Scale: Sendable, Hashable {
      /// Round numbers.
      case numbers
      /// Whole numbers.
      case integers
      /// Percentages of values from 0 to 1.
      case percentages
    }

    /// The values that the axis covers.
    package enum Range: Sendable, Hashable {
      /// The values of the marks.
      case values
      /// The values of the marks and zero.
      case valuesAndZero
      /// The values of the marks, and zero unless that would flatten the curve.
      case valuesAndNearbyZero
      /// At least these values; marks beyond the last tick are drawn at the edge.
      case fixed(ClosedRange<Double>)
    }

    /// The name.
    package var name: String
    /// The values of the ticks.
    package var scale: Scale
    /// The values that the axis covers.
    package var range: Range

    /// Creates an axis.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - scale: The values of the ticks.
    ///   - range: The values that the axis covers.
    package init(_ name: String, scale: Scale = .numbers, range: Range = .values) {
      (self.name, self.scale, self.range) = (name, scale, range)
    }

    /// Returns an axis from 0 to 100 percent.
    package static func percent(_ name: String) -> Axis {
      Axis(name, scale: .percentages, range: .fixed(0...1))
    }
  }
}

// MARK: Marks

extension Chart {
  /// A part of a plot.
  package enum Mark: Sendable, Hashable {
    /// A line through points.
    case line(Series)
    /// A bar of a histogram.
    case bar(Bar)
    /// A dot with a size.
    case dot(Dot)
    /// A dashed line between two points, to compare other marks with.
    case reference(from: Point, to: Point)
    /// The deviation of a value from its reference, as a line between them.
    case deviation(from: Point, to: Point)
    /// A dashed line over the whole height at a horizontal value, with a label.
    case marker(at: Double, label: String)
  }

  /// A point in the units of the axes.
  package struct Point: Sendable, Hashable {
    /// The horizontal value.
    package var x: Double
    /// The vertical value.
    package var y: Double

    /// Creates a point.
    package init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

    /// Whether the point can be drawn.
    var isFinite: Bool { x.isFinite && y.isFinite }
  }

  /// Points that a line connects.
  package struct Series: Sendable, Hashable {
    /// How a line is drawn.
    package enum Style: Sendable, Hashable {
      /// A line.
      case line
      /// A line with a dot at each point, if there are few.
      case lineWithDots
      /// A thin, pale line behind others.
      case background
    }

    /// The name in the legend; an empty name is not listed.
    package var name: String
    /// A value to add to the name in the legend, such as the area under the curve.
    package var detail: String
    /// The points from left to right; one that is not finite interrupts the line.
    package var points: [Point]
    /// The index of the color.
    package var colorIndex: Int
    /// How the line is drawn.
    package var style: Style

    /// Creates a series.
    ///
    /// - Parameters:
    ///   - name: The name in the legend; an empty name is not listed.
    ///   - detail: A value to add to the name in the legend.
    ///   - points: The points from left to right; one that is not finite interrupts the line.
    ///   - colorIndex: The index of the color; equal indexes have the same color in every chart.
    ///   - style: How the line is drawn.
    package init(
      _ name: String = "", detail: String = "", points: [Point], colorIndex: Int = 0,
      style: Style = .line
    ) {
      (self.name, self.detail, self.points) = (name, detail, points)
      (self.colorIndex, self.style) = (colorIndex, style)
    }

    /// The points between interruptions.
    var segments: [[Point]] { points.split { !$0.isFinite }.map(Array.init) }

    /// Whether each point has a dot.
    var hasDots: Bool { style == .lineWithDots && points.count <= Self.maxDots }

    private static let maxDots = 40
  }

  /// A bar of a histogram.
  package struct Bar: Sendable, Hashable {
    /// The horizontal values that the bar covers.
    package var range: ClosedRange<Double>
    /// The vertical value of its upper edge.
    package var height: Double
    /// A description of the bar.
    package var label: String

    /// Creates a bar.
    package init(_ range: ClosedRange<Double>, height: Double, label: String = "") {
      (self.range, self.height, self.label) = (range, height, label)
    }
  }

  /// A dot with a size.
  package struct Dot: Sendable, Hashable {
    /// The center.
    package var center: Point
    /// The area as a fraction of the largest dot's, from 0 to 1.
    package var size: Double
    /// A description of the dot.
    package var label: String

    /// Creates a dot.
    package init(_ center: Point, size: Double = 0, label: String = "") {
      (self.center, self.size, self.label) = (center, size, label)
    }
  }
}

extension Chart.Mark {
  /// The points whose values the axes have to cover.
  var extent: [Chart.Point] {
    let points: [Chart.Point] =
      switch self {
      case .line(let series): series.points
      case .bar(let bar):
        [.init(bar.range.lowerBound, 0), .init(bar.range.upperBound, bar.height)]
      case .dot(let dot): [dot.center]
      case .reference(let start, let end), .deviation(let start, let end): [start, end]
      case .marker: []
      }
    return points.filter(\.isFinite)
  }
}

// MARK: Matrices

extension Chart {
  /// A matrix of classes, such as a confusion matrix.
  package struct Matrix: Sendable, Hashable {
    /// A cell that is not empty.
    package struct Cell: Sendable, Hashable {
      /// The index of the row in ``Chart/Matrix/labels``.
      package var row: Int
      /// The index of the column in ``Chart/Matrix/labels``.
      package var column: Int
      /// The number in the cell.
      package var count: Int
      /// The intensity of the color, from 0 to 1.
      package var intensity: Double
      /// A description of the cell.
      package var label: String

      /// Creates a cell.
      ///
      /// - Parameters:
      ///   - row: The index of the row.
      ///   - column: The index of the column.
      ///   - count: The number in the cell.
      ///   - intensity: The intensity of the color, from 0 to 1.
      ///   - label: A description of the cell.
      package init(row: Int, column: Int, count: Int, intensity: Double, label: String = "") {
        (self.row, self.column, self.count) = (row, column, count)
        (self.intensity, self.label) = (intensity, label)
      }
    }

    /// The labels of the rows and of the columns.
    package var labels: [String]
    /// The name of the rows.
    package var rowName: String
    /// The name of the columns.
    package var columnName: String
    /// The cells that are not empty; those on the diagonal have a color of their own.
    package var cells: [Cell]

    /// Creates a matrix.
    ///
    /// - Parameters:
    ///   - labels: The labels of the rows and of the columns.
    ///   - rowName: The name of the rows.
    ///   - columnName: The name of the columns.
    ///   - cells: The cells that are not empty; cells outside the matrix are ignored.
    package init(labels: [String], rowName: String, columnName: String, cells: [Cell]) {
      (self.labels, self.rowName, self.columnName) = (labels, rowName, columnName)
      self.cells = cells.filter {
        labels.indices.contains($0.row) && labels.indices.contains($0.column)
      }
    }
  }
}
