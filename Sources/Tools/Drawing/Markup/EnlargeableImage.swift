/// An image that opens large over the page, without scripts.
///
/// A click on the image or Enter on its button opens it; Escape, Enter, a click beside it or its close button, which Tab reaches, closes
/// it, and the focus is on its button again. The image is in the page once: it is a popover that is also visible while it is closed. Pages need
/// the rules of ``rules``, and the studio's page makes the same elements itself.
package struct EnlargeableImage {
  private let id: String
  private let name: String
  private let width: Int
  private let height: Int
  private let content: [Markup]

  /// Creates an image.
  ///
  /// - Parameters:
  ///   - id: The id of the element, which is unique on the page.
  ///   - name: The text that names the image, which is shown below it when it is large.
  ///   - width: The width of the original image.
  ///   - height: The height of the original image.
  ///   - content: The image, and what is drawn over it.
  package init(id: String, name: String, width: Int, height: Int, _ content: [Markup]) {
    (self.id, self.name, self.content) = (id, name, content)
    (self.width, self.height) = (width, height)
  }

  /// The image with its buttons.
  package var markup: Markup {
    .element(
      "div", ["class": "enlargeable", "style": "--width:\(width);--height:\(height)"],
      .element(
        "div", ["class": "frame", "id": id, "popover": "auto", "data-caption": name],
        content + [
          .element(
            "button",
            [
              "class": "close-enlarged", "type": "button", "popovertarget": id,
              "popovertargetaction": "hide", "aria-label": "Close",
            ], "×")
        ]),
      .element(
        "button",
        [
          "class": "enlarge", "type": "button", "popovertarget": id,
          "aria-label": "Enlarge \(name)",
        ]))
  }

  /// The style sheet, whose colors are variables that the page defines.
  package static let rules: StaticString = """
    .enlargeable { position: relative; }
    .frame { position: absolute; inset: 0; overflow: hidden; border-radius: 5px; background: var(--surface); }
    .frame[popover] { width: auto; height: auto; margin: 0; padding: 0; border: 0; color: inherit; }
    .frame[popover]:not(:popover-open) { display: block; }
    button.enlarge {
      position: absolute; inset: 0; display: block; width: 100%; height: 100%; min-height: 0; margin: 0; padding: 0;
      border: 0; border-radius: 5px; background: none; cursor: zoom-in;
    }
    button.enlarge:hover, button.enlarge:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    button.close-enlarged { display: none; }
    .frame[popover]:popover-open {
      position: fixed; inset: 0; width: min(94vw, (100vh - 9rem) * var(--width, 1) / var(--height, 1)); height: max-content;
      aspect-ratio: var(--width, 1) / var(--height, 1); margin: auto; overflow: visible; border-radius: 0;
    }
    .frame[popover]::backdrop { background: rgb(0 0 0 / 0.82); }
    .frame[popover]:popover-open::after {
      content: attr(data-caption); position: absolute; inset: 100% 0 auto; max-height: 4rem; padding-top: 0.6rem; overflow: hidden;
      color: #ffffff; font: 0.9rem/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
      text-align: center; overflow-wrap: anywhere;
    }
    :popover-open > button.close-enlarged {
      position: absolute; inset: -3rem 0 auto auto; display: block; width: 2.5rem; height: 2.5rem; min-height: 0; padding: 0;
      border: 1px solid #ffffff; border-radius: 6px; background: #1c2024; color: #ffffff; font: 1.4rem/1 system-ui, sans-serif;
      cursor: pointer;
    }
    :popover-open > button.close-enlarged:focus-visible { outline: 2px solid #86b8f4; outline-offset: 2px; }
    @media print { button.enlarge { display: none; } }
    """
}
