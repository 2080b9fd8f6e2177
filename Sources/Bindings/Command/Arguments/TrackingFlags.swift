import TensorIO
import TensorIOImage
import TensorIOLibrary
import TensorIOTasks

/// The options that follow and count the objects of a stream.
enum TrackingFlags {
  static let track = Flag("track", "Number detected objects, and follow them from frame to frame")
  static let line = Flag(
    "line", "X1,Y1,X2,Y2", "Count objects that cross this line, in pixels (repeatable)")
  static let zone = Flag(
    "zone", "X,Y,X,Y,X,Y,...", "Count objects in this polygon, in pixels (repeatable)")
  static let classAgnostic = Flag(
    "class-agnostic", "Follow objects whose class changes from frame to frame")
  static let flags = [track, classAgnostic, line, zone]

  /// Returns what to follow and to count; `nil` if no option asks for it.
  static func request(_ arguments: ParsedArguments) throws(OperationError) -> TrackingRequest? {
    guard flags.contains(where: arguments.has) else { return nil }
    var request = TrackingRequest(isClassAgnostic: arguments.has(classAgnostic))
    for text in arguments.values(line) {
      guard let points = points(text), points.count == 2, points[0] != points[1] else {
        throw .usage("--line takes two points such as 0,240,640,240, got '\(text)'")
      }
      request.lines.append(.init(from: points[0], to: points[1]))
    }
    for text in arguments.values(zone) {
      guard let points = points(text), points.count > 2 else {
        throw .usage("--zone takes three or more points such as 0,0,640,0,320,480, got '\(text)'")
      }
      request.zones.append(points)
    }
    return request
  }

  /// Returns comma-separated points; `nil` if a number is missing or not finite.
  private static func points(_ text: String) -> [AffineMap.Point]? {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0).flatMap { $0.isFinite ? $0 : nil }
    }
    guard numbers.count.isMultiple(of: 2), numbers.allSatisfy({ $0 != nil }) else { return nil }
    let values = numbers.compactMap(\.self)
    return stride(from: 0, to: values.count, by: 2).map {
      AffineMap.Point(x: values[$0], y: values[$0 + 1])
    }
  }
}
