// A conversation with a model that writes texts: answers while they are written, and how probable each token was.

import * as api from "./api.js";
import { button, element, labeledField, setContent, setText } from "./dom.js";
import { formatPercent, pluralize } from "./format.js";
import { announce } from "./notifications.js";

/** The conversations by model; they exist until the page is closed. */
const conversations = new Map();

/** Returns the conversation with a model, which goes on when the model is selected again. */
export function conversationWith(panel, samples) {
  if (!conversations.has(panel.name)) {
    conversations.set(panel.name, new Conversation(panel, samples));
  }
  return conversations.get(panel.name);
}

/** How a text has ended, unless the model ended it. */
const reasons = { length: "cut at the limit of tokens", stopped: "stopped" };

class Conversation {
  constructor({ name, metadata, task }, samples) {
    this.name = name;
    this.title = metadata.title ?? name;
    // Without a template, a model continues a text and knows no messages.
    this.hasMessages = !!task?.template;
    this.messages = [];
    this.options = new GenerationOptions(task ?? {}, this.hasMessages);
    this.log = element("div.chat-log", {
      role: "log",
      tabindex: "0",
      "aria-label": this.hasMessages ? "Conversation" : "Texts",
    });
    this.field = element("textarea", {
      rows: 3,
      enterkeyhint: "send",
      keydown: (event) => this.handleKey(event),
    });
    this.sendButton = element("button.button-primary", { type: "submit" }, "Send");
    this.stopButton = button("Stop", () => this.stop(), { hidden: true });
    this.element = element(
      "section.panel.chat",
      { "aria-label": this.hasMessages ? "Conversation" : "Continued texts", "data-model": name },
      this.log,
      samples.length ? this.sampleChips(samples) : null,
      this.form(),
      this.options.element,
    );
    this.clear();
  }

  form() {
    const submit = (event) => {
      event.preventDefault();
      this.send();
    };
    const hint = "Enter sends, Shift + Enter begins a new line.";
    return element(
      "form.chat-form",
      { submit },
      labeledField(this.hasMessages ? "Message" : "Text to continue", this.field, hint),
      element(
        "div.row",
        {},
        this.sendButton,
        this.stopButton,
        button(this.hasMessages ? "New conversation" : "Clear", () => this.clear()),
      ),
    );
  }

  sampleChips(samples) {
    const read = async (url) => {
      const text = await (await fetch(url)).text();
      this.field.value = text.trim();
      this.field.focus();
    };
    return element(
      "div.row",
      {},
      element("span.kicker", {}, "Samples"),
      samples
        .filter(({ type }) => type.startsWith("text/plain"))
        .map((sample) => button(sample.name, () => read(sample.url), { kind: "button.chip" })),
    );
  }

  handleKey(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.send();
  }

  /** Forgets all messages. */
  clear() {
    this.stop();
    this.messages = [];
    setContent(
      this.log,
      element(
        "p.muted.chat-empty",
        {},
        this.hasMessages
          ? "Write a message. The model answers here, and remembers the conversation until you begin a new one."
          : "This model has no template for messages: it continues the text that you give it.",
      ),
    );
  }

  /** Ends the answer that is being written; what there is of it stays. */
  stop() {
    this.controller?.abort();
  }

  async send() {
    const text = this.field.value;
    if (this.controller || !text.trim()) return;
    if (!this.messages.length) setContent(this.log);
    this.field.value = "";
    this.messages.push({ role: "user", content: text });
    this.log.append(messageElement("user", "You", element("div.chat-text", {}, text)));
    const answer = new Answer(this.title);
    this.log.append(answer.element);
    this.log.scrollTop = this.log.scrollHeight;
    await this.receive(answer);
  }

  async receive(answer) {
    // A conversation that is forgotten meanwhile has other messages.
    const { messages } = this;
    const controller = new AbortController();
    this.controller = controller;
    this.setBusy(true);
    const prompt = this.hasMessages
      ? { messages: [...this.options.systemMessages, ...messages] }
      : { prompt: messages.at(-1).content };
    try {
      const parts = api.generate(
        this.name,
        { ...prompt, ...this.options.values },
        controller.signal,
      );
      for await (const part of parts) this.keepAtEnd(() => answer.add(part));
    } catch (error) {
      if (controller.signal.aborted) answer.reason = "stopped";
      else answer.fail(error);
    } finally {
      this.keepAtEnd(() => answer.end());
      // The next message must follow an answer.
      if (answer.text) messages.push({ role: "assistant", content: answer.text });
      else messages.pop();
      this.controller = null;
      this.setBusy(false);
      announce(answer.text ? `${this.title}: ${answer.text}` : "No answer.");
    }
  }

  setBusy(isBusy) {
    this.sendButton.disabled = isBusy;
    this.stopButton.hidden = !isBusy;
    this.log.setAttribute("aria-busy", String(isBusy));
    if (!isBusy) this.field.focus({ preventScroll: true });
  }

  // A reader who has scrolled back stays there.
  keepAtEnd(change) {
    const { log } = this;
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    change();
    if (isAtEnd) log.scrollTop = log.scrollHeight;
  }
}

const messageElement = (role, title, ...content) =>
  element(`article.chat-message.${role}`, {}, element("p.kicker", {}, title), content);

/** A text that is being written. */
class Answer {
  constructor(title) {
    this.text = "";
    this.tokenCount = 0;
    this.held = [];
    this.spans = [];
    this.start = performance.now();
    this.content = element("div.chat-text", {
      tabindex: "0",
      role: "group",
      "aria-label": "Answer; arrow keys show the probability of each token",
      pointerover: (event) =>
        this.select(this.spans.findIndex(({ node }) => node === event.target)),
      pointerleave: () => this.select(-1),
      focusout: () => this.select(-1),
      keydown: (event) => this.handleKey(event),
    });
    this.choices = element("div.token-choices", { hidden: true, role: "status" });
    this.error = element("p.error-message", { role: "alert", hidden: true });
    this.facts = element("p.muted.fine-print", {}, "…");
    this.element = messageElement(
      "assistant",
      title,
      this.content,
      this.choices,
      this.error,
      this.facts,
    );
  }

  /** Adds a part; tokens whose text is not complete yet belong to the next part. */
  add({ text, tokens, reason }) {
    this.held.push(...tokens);
    this.tokenCount += tokens.length;
    this.reason = reason ?? this.reason;
    if (tokens.length || text) this.firstToken ??= performance.now();
    if (!text) return;
    this.text += text;
    const probability = Math.exp(this.held.reduce((sum, { logprob }) => sum + logprob, 0));
    const node = element("span.token", { "--doubt": (1 - probability).toFixed(3) }, text);
    this.spans.push({ node, tokens: this.held, probability });
    this.held = [];
    this.content.append(node);
  }

  fail(error) {
    this.error.hidden = false;
    setContent(this.error, error.message);
  }

  /** Shows how long the text took. */
  end() {
    const seconds = (performance.now() - (this.firstToken ?? performance.now())) / 1000;
    const facts = [pluralize(this.tokenCount, "token")];
    if (this.tokenCount > 1 && seconds > 0) {
      facts.push(`${((this.tokenCount - 1) / seconds).toFixed(1)} tokens per second`);
    }
    if (this.firstToken) facts.push(`first after ${Math.round(this.firstToken - this.start)} ms`);
    if (reasons[this.reason]) facts.push(reasons[this.reason]);
    setText(this.facts, facts.join(" · "));
  }

  handleKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !this.spans.length) return;
    event.preventDefault();
    const next = (this.selected ?? -1) + step;
    this.select(Math.min(this.spans.length - 1, Math.max(0, next)));
  }

  /** Shows what the model might have written in the place of a token; -1 for none. */
  select(index) {
    this.spans[this.selected]?.node.classList.remove("selected");
    const span = this.spans[index];
    this.selected = span ? index : undefined;
    this.choices.hidden = !span?.tokens.length;
    if (this.choices.hidden) return;
    span.node.classList.add("selected");
    setContent(this.choices, span.tokens.map(alternatives));
    // Below the token or, without room there, above it.
    const { left, top, bottom } = span.node.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.choices;
    const place = { left: Math.min(left, innerWidth - width - 8), top: bottom + 4 };
    if (place.top + height > innerHeight) place.top = Math.max(8, top - height - 4);
    for (const [side, value] of Object.entries(place)) {
      this.choices.style.setProperty(side, `${value}px`);
    }
  }
}

const alternatives = ({ top_logprobs: choices }) =>
  element(
    "ol.score-bars",
    {},
    choices.map(({ token, logprob }) =>
      element(
        "li",
        {},
        element("span.name", {}, visible(token)),
        element("span.score", {}, formatPercent(Math.exp(logprob))),
        element(
          "span.score-track",
          {},
          element("span.score-bar", {
            "aria-hidden": "true",
            "--share": Math.exp(logprob).toFixed(4),
          }),
        ),
      ),
    ),
  );

/** Returns a token with its spaces and line breaks visible. */
const visible = (token) => token.replaceAll("\n", "⏎").replaceAll(" ", "␣") || "∅";

/** How texts are written; empty fields leave it to the bundle. */
class GenerationOptions {
  constructor(task, hasMessages) {
    this.system = element("textarea", { rows: 2 });
    const number = (name, attributes) =>
      element("input", {
        type: "number",
        inputmode: "decimal",
        placeholder: task[name] ?? "default",
        ...attributes,
      });
    this.fields = {
      max_tokens: number("max_tokens", { min: 1, step: 1 }),
      temperature: number("temperature", { min: 0, max: 2, step: "any" }),
      top_p: number("top_p", { min: 0, max: 1, step: "any" }),
      seed: number("seed", { step: 1 }),
    };
    const titles = {
      max_tokens: "Tokens at most",
      temperature: "Temperature",
      top_p: "Top p",
      seed: "Seed",
    };
    this.element = element(
      "details.chat-options",
      {},
      element("summary", {}, "Options"),
      hasMessages ? labeledField("Instructions to the model", this.system) : null,
      element(
        "div.chat-numbers",
        {},
        Object.entries(this.fields).map(([name, field]) => labeledField(titles[name], field)),
      ),
    );
  }

  get systemMessages() {
    const content = this.system.value.trim();
    return content ? [{ role: "system", content }] : [];
  }

  get values() {
    return Object.fromEntries(
      Object.entries(this.fields)
        .filter(([, field]) => field.value !== "")
        .map(([name, field]) => [name, Number(field.value)]),
    );
  }
}
