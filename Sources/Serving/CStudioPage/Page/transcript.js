// The transcript of a recording: segments, whose words light up while they are played.

import { button, element, setContent, setText } from "./dom.js";
import { formatTime } from "./format.js";
import { copyText } from "./notifications.js";

export class TranscriptView {
  constructor() {
    this.segments = element("div.transcript");
    this.facts = element("p.muted");
    this.copyButton = button("Copy the text", () => copyText(this.text), {
      kind: "button.button-small",
    });
    this.element = element(
      "div",
      {},
      element("div.row", {}, this.facts, this.copyButton),
      this.segments,
    );
  }

  update({ text, language, duration, segments }, { player }) {
    this.text = text.trim();
    const facts = [language && `language ${language}`, duration && formatTime(duration)];
    setContent(this.facts, facts.filter(Boolean).join(", ") || null);
    this.copyButton.hidden = !this.text;
    setContent(
      this.segments,
      segments.length
        ? segments.map((segment) => segmentElement(segment, player))
        : element("p.muted", {}, "No speech was found."),
    );
    this.summary = this.text.slice(0, 120) || "no speech";
  }
}

/** A transcript that is being written: final segments, and the text after them, which later ones replace. */
export class LiveTranscriptView {
  constructor() {
    this.segments = element("div", { role: "log", "aria-label": "Final segments" });
    this.partial = element("p.muted.partial-text", {}, "Speak: the words appear here.");
    this.element = element(
      "div.transcript.live-transcript",
      { tabindex: "0", role: "group", "aria-label": "Transcript so far" },
      this.segments,
      this.partial,
    );
  }

  update({ segments, partial_text: partialText }) {
    const { element: list } = this;
    // A reader who has scrolled back stays there.
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    this.segments.append(...segments.map((segment) => segmentElement(segment)));
    const text = partialText.trim();
    if (text || this.segments.childElementCount) setText(this.partial, text);
    if (isAtEnd) list.scrollTop = list.scrollHeight;
  }
}

function segmentElement({ start, end, text, words, speaker }, player) {
  const range = `${formatTime(start)} to ${formatTime(end)}`;
  const title = speaker === undefined ? formatTime(start) : `${formatTime(start)} ${speaker}`;
  return element(
    "div.segment",
    words ? {} : { "data-start": start, "data-end": end },
    player
      ? button(title, () => player.play(start, end), {
          kind: "button.button-small.button-plain",
          "aria-label": `Play ${range}`,
        })
      : element("span.muted", {}, title),
    element(
      "p",
      {},
      words
        ? words.map((word) =>
            element(
              "span.word",
              {
                "data-start": word.start,
                "data-end": word.end,
                title: formatTime(word.start),
                click: player && (() => player.play(word.start)),
              },
              word.word,
            ),
          )
        : text.trim(),
    ),
  );
}
