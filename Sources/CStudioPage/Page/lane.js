// One model on one input: asks, shows the answer and how long it took.

import * as api from "./api.js";
import { Answers } from "./answers.js";
import { element, fill } from "./dom.js";
import { modelNamed, studio } from "./state.js";
import { Stage } from "./stage.js";
import { Timing } from "./timing.js";

export class Lane {
  constructor(name) {
    this.name = name;
    this.stage = new Stage();
    this.timing = new Timing();
    this.answers = new Answers(this);
    this.problem = element("p.problem", { role: "alert", hidden: true });
    this.below = element("div");
    this.title = element("h2.lane-title", {}, modelNamed(name)?.title ?? name);
    this.result = element("section.result", { "aria-label": `Answer of ${this.title.textContent}` },
      element("h3.kicker", {}, "Answer"), this.problem, this.answers.element, this.below, this.timing.element);
    this.element = element("article.lane.sheet", { "data-model": name }, this.title,
      element("div.look", {}, this.stage.element), this.result);
    this.wait();
  }

  /** Learns what the model takes. */
  async prepare() {
    this.about = await api.model(this.name);
    const description = await api.description(this.name).catch(() => null);
    this.task = description?.task;
    this.side = description?.options?.device_position === "back" ? "environment" : "user";
    this.element.classList.toggle("values", !this.takesPicture);
    return this;
  }

  /** Whether one picture is all that the model takes. */
  get takesPicture() {
    const inputs = this.about?.inputs ?? [];
    return inputs.length === 1 && inputs[0].type === "image";
  }

  get isDetector() {
    return this.about?.task === "detection" || this.task?.type === "detection" || !!this.about?.outputs?.some((output) => output.role === "boxes");
  }

  wait() {
    fill(this.answers.element, element("p.soft", {}, "The answer appears here."));
    this.answers.kinds = null;
  }

  get isBusy() {
    return !!this.asking;
  }

  /** Runs the model; a still input takes the place of the one before it, a frame waits for nobody. */
  async run(input, { isLive = false, size, least = null, isSmooth = false } = {}) {
    if (isLive && this.asking) return false;
    this.stop();
    const asking = (this.asking = new AbortController());
    this.result.setAttribute("aria-busy", "true");
    try {
      const wishes = { top: this.isDetector ? null : Math.max(studio.top, isSmooth ? 50 : 0),
        threshold: least };
      const ask = () => api.predict(this.name, input, wishes, asking.signal);
      const answer = await (isLive ? ask() : api.patiently(ask, 5));
      if (asking.signal.aborted) return false;
      this.show(answer, { size, top: studio.top, isSmooth, stage: this.stage });
      return true;
    } catch (failure) {
      if (failure.name !== "AbortError" && !asking.signal.aborted) this.fail(failure);
      return false;
    } finally {
      if (this.asking === asking) this.asking = null;
      if (!this.asking) this.result.removeAttribute("aria-busy");
    }
  }

  show(answer, context) {
    this.problem.hidden = true;
    this.answers.element.hidden = false;
    this.answers.show(answer.outputs, context);
    this.timing.add(answer.timing_ms);
  }

  fail(failure) {
    this.problem.hidden = false;
    this.answers.element.hidden = true;
    this.stage.mark([]);
    fill(this.problem, failure.message, failure.fine ? element("small.soft", {}, ` (${failure.fine})`) : null);
  }

  /** Gives up what was asked. */
  stop() {
    this.asking?.abort();
    this.asking = null;
  }
}
