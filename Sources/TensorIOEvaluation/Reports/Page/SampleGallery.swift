/// The worst mistakes and the best answers, with their pictures where they have some.
struct SampleGallery {
  private let samples: SampleAnswers

  init(_ samples: SampleAnswers) { self.samples = samples }

  var markup: Markup {
    Markup([
      part("The worst mistakes", samples.worst), part("The best answers", samples.best),
    ])
  }

  private func part(_ title: StaticString, _ answers: [SampleAnswer]) -> Markup {
    guard !answers.isEmpty else { return .nothing }
    let pictures = answers.map(SamplePicture.init)
    let hasBoxes = answers.contains { !$0.trueBoxes.isEmpty || !$0.foundBoxes.isEmpty }
    return Markup([
      .tag("h3", [:], Markup(title.description)),
      hasBoxes
        ? .tag("p", ["class": "soft"], "Dashed: what is there. Coloured: what was found.")
        : .nothing,
      .tag("div", ["class": "samples"], pictures.map(\.markup)), notes(pictures),
    ])
  }

  private func notes(_ pictures: [SamplePicture]) -> Markup {
    let notes = pictures.compactMap(\.note)
    guard !notes.isEmpty else { return .nothing }
    return .tag(
      "ul", ["class": "notes"], notes.map { .tag("li", [:], Markup("No picture: \($0)")) })
  }
}
