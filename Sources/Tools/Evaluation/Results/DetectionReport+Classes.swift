extension DetectionReport {
  /// Returns the results of the classes that have ground truth.
  func classResults(label: (Int) -> String) -> [ClassResult] {
    categories.compactMap(category).map { category in
      ClassResult(
        label: label(category.category), count: category.count,
        metrics: [
          .fraction("ap", category.averagePrecision),
          .fraction("ap50", category.averagePrecision50),
          .fraction("ar", category.averageRecall),
        ].compactMap(\.self))
    }
  }
}
