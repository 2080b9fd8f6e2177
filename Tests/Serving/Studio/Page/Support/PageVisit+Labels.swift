import TensorIOTestSupport
import Testing

// MARK: Drawings and labels

extension PageVisit {
  /// Drags between two points of the view of the image, in fractions of its size.
  func dragInView(from start: (Double, Double), to end: (Double, Double)) async throws {
    let view = "document.querySelector('.input-view')"
    try await value("\(view).scrollIntoView({ block: 'center' })")
    let bounds =
      "(({ x, y, width, height }) => [x, y, width, height])(\(view).getBoundingClientRect())"
    let numbers = try #require(try await value(bounds).numbers)
    let points = [start, end].map {
      (numbers[0] + $0.0 * numbers[2], numbers[1] + $0.1 * numbers[3])
    }
    try await drag(from: points[0], to: points[1])
  }

  /// Evaluates the model on the labels of this visit, and waits for the report.
  func evaluateLabels(_ count: String) async throws {
    try await click("[role=tab]", "Evaluate")
    try await waitFor("\(count) that you labeled.", in: ".evaluation-source p")
    let script = """
      [...document.querySelectorAll(".evaluation-source")].find((each) => each.textContent.startsWith("Your labels")).querySelector("button").click()
      """
    try await value(script)
    try await waitFor("Completed: \(count) evaluated", in: ".progress-text")
    try await waitFor("document.querySelector('#view-evaluate .report, #view-evaluate table')")
  }

  /// Returns the bytes of the file that the tab Labels exports.
  func exportedDataset() async throws -> [UInt8] {
    let script = """
      (async () => {
        const create = URL.createObjectURL;
        const exported = new Promise((resolve) => {
          URL.createObjectURL = (blob) => { resolve(blob); return create.call(URL, blob); };
        });
        [...document.querySelectorAll("#view-labels button")].find((each) => each.textContent === "Export a dataset").click();
        const bytes = new Uint8Array(await (await exported).arrayBuffer());
        URL.createObjectURL = create;
        return [...bytes];
      })()
      """
    return try await value(script).numbers?.map { UInt8($0) } ?? []
  }
}
