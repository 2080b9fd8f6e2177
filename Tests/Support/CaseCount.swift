/// The number of cases in a suite, by the origin of their fixtures.
///
/// `Scripts/test/case-counts` compares the counts of a test run with `Tests/case-counts.txt`, so that a
/// suite that is empty or did not run is an error.
public enum CaseCount {
  /// Prints the counts of a suite.
  public static func report(_ suite: String, project: Int, shared: Int = 0) {
    print("case count: \(suite) \(project) \(shared)")
  }
}
