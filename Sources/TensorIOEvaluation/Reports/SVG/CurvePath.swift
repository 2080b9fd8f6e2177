/// The path of a curve through a chart, with no more points than can be seen.
struct CurvePath: CustomStringConvertible {
  /// Points nearer than this are one.
  private static let nearest = 0.5
  /// So many points a path has at most, and its last.
  private static let limit = 500

  let description: String

  init(_ points: [ResultCurve.Point], in frame: ChartFrame) {
    let finite = points.filter { $0.x.isFinite && $0.y.isFinite }
    let places = Self.thinned(finite.map { (frame.x($0.x), frame.y($0.y)) })
    description = places.enumerated()
      .map { "\($0 == 0 ? "M" : "L")\($1.0.place) \($1.1.place)" }.joined()
  }

  private static func thinned(_ places: [(Double, Double)]) -> [(Double, Double)] {
    guard let last = places.last else { return [] }
    var kept: [(Double, Double)] = []
    for place in places where kept.last.map({ isFar(place, $0) }) ?? true { kept.append(place) }
    let step = kept.count / limit + 1
    let few = stride(from: 0, to: kept.count, by: step).map { kept[$0] }
    return few.last.map { $0 == last } ?? true ? few : few + [last]
  }

  private static func isFar(_ one: (Double, Double), _ other: (Double, Double)) -> Bool {
    max(abs(one.0 - other.0), abs(one.1 - other.1)) >= nearest
  }
}
