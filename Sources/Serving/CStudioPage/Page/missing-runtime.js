// What to do about a model whose runtime is not installed.

import { element } from "./dom.js";

/** Returns a notice with the command that installs the runtime of a model. */
export const missingRuntimeNotice = ({ title, missing_runtime: { name, install } }) =>
  element(
    "div.panel.missing-runtime",
    {},
    element("h2", {}, `${name} is not installed`),
    element("p", {}, `${title} needs it to run. Install it with:`),
    element("pre", { tabindex: "0" }, install),
    element("p.muted", {}, "Then reload this page."),
  );
