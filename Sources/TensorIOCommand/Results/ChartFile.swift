import TensorIOCore
internal import TensorIODrawing
internal import TensorIOImage

/// A chart that is drawn as a picture.
enum ChartFile {
  /// Refuses, before anything runs, a path at which no chart can be drawn.
  static func check(_ path: String, example: String) throws(CommandFailure) {
    guard ImageEncoding(path: path) != nil else {
      throw .usage("--plot takes the name of a picture, such as \(example), got '\(path)'")
    }
    do throws(DrawingError) {
      _ = try DrawingLibrary.standard
    } catch {
      throw CommandFailure("cannot-draw", "\(error)", exit: .run)
    }
  }

  /// Draws a chart.
  static func write(_ chart: LineChart, to path: String) throws(CommandFailure) {
    do {
      try chart.drawn().write(to: path)
    } catch let error as ImageError {
      throw CommandFailure(error.code, error.description, exit: .run)
    } catch {
      throw CommandFailure("cannot-draw", "\(error)", exit: .run)
    }
  }
}
