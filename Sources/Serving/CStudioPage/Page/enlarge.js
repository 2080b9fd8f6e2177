// Images that open large over the page by a click or Enter, and close by Escape: the elements of those in reports, whose style sheet they share.

import { button, element, uniqueID } from "./dom.js";

/**
 * Returns an image, or an element with one, as an image that can be enlarged. `caption` is shown below it when it is large, and
 * `fullURL()`, if there is one, returns the address of the image to show in place of a thumbnail.
 */
export function enlargeable(content, name, { caption = name, fullURL = null } = {}) {
  const image = content.matches("img") ? content : content.querySelector("img");
  const id = uniqueID("image");
  const close = button("×", null, {
    kind: "button.close-enlarged",
    popovertarget: id,
    popovertargetaction: "hide",
    "aria-label": "Close",
  });
  const frame = element(
    "div.frame",
    { id, popover: "auto", "data-caption": caption },
    content,
    close,
  );
  const node = element(
    "div.enlargeable",
    {},
    frame,
    button("", null, {
      kind: "button.enlarge",
      popovertarget: id,
      "aria-label": `Enlarge ${name}`,
      title: "Enlarge",
    }),
  );
  frame.addEventListener("toggle", ({ newState }) => newState === "open" && close.focus());
  image.alt ||= caption;
  image.addEventListener("load", () => {
    node.style.setProperty("--width", image.naturalWidth);
    node.style.setProperty("--height", image.naturalHeight);
  });
  if (fullURL) {
    frame.addEventListener(
      "beforetoggle",
      () => Object.assign(image, { src: fullURL() ?? image.src }),
      {
        once: true,
      },
    );
  }
  return node;
}
