// The small part of Markdown that cards are written in, as elements; markup in it stays text.

import { element } from "./dom.js";

/** The elements of a text; its highest heading is of the given level. */
export function markdown(text, level = 3) {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    const [node, next] = block(lines, at, level);
    if (node) nodes.push(node);
    at = Math.max(next, at + 1);
  }
  return nodes;
}

function block(lines, at, level) {
  const line = lines[at];
  if (!line.trim()) return [null, at + 1];
  if (/^```/.test(line)) return fence(lines, at);
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  if (heading) return [element(`h${Math.min(6, level + heading[1].length - 1)}`, {}, inline(heading[2])),
    at + 1];
  if (isTable(lines, at)) return table(lines, at);
  if (bullet.test(line)) return list(lines, at, "ul", bullet);
  if (numbered.test(line)) return list(lines, at, "ol", numbered);
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return [element("hr"), at + 1];
  if (/^\s*>/.test(line)) return quote(lines, at, level);
  return paragraph(lines, at);
}

const bullet = /^\s*[-*+]\s+/;
const numbered = /^\s*\d+[.)]\s+/;
const isTable = (lines, at) => lines[at].includes("|") && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[at + 1] ?? "");

function fence(lines, at) {
  let end = at + 1;
  while (end < lines.length && !/^```/.test(lines[end])) end += 1;
  return [element("pre", { tabindex: "0" }, element("code", {}, lines.slice(at + 1, end).join("\n"))), end + 1];
}

function table(lines, at) {
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) end += 1;
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const row = (kind, line) => element("tr", {},
    cells(line).map((cell) => element(kind, kind === "th" ? { scope: "col" } : {}, inline(cell))));
  return [element("div.scroll", {}, element("table", {}, element("thead", {}, row("th", lines[at])),
    element("tbody", {}, lines.slice(at + 2, end).map((line) => row("td", line))))), end];
}

function list(lines, at, kind, sign) {
  const items = [];
  let end = at;
  while (end < lines.length && lines[end].trim()) {
    if (sign.test(lines[end])) items.push(lines[end].replace(sign, ""));
    else items[items.length - 1] += ` ${lines[end].trim()}`;
    end += 1;
  }
  return [element(kind, {}, items.map((item) => element("li", {}, inline(item)))), end];
}

function quote(lines, at, level) {
  let end = at;
  while (end < lines.length && /^\s*>/.test(lines[end])) end += 1;
  return [element("blockquote", {},
    markdown(lines.slice(at, end).map((line) => line.replace(/^\s*>\s?/, "")).join("\n"), level)), end];
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !/^(#{1,6}\s|```)/.test(lines[end]) && !bullet.test(lines[end])) end += 1;
  return [element("p", {}, inline(lines.slice(at, end).join(" "))), end];
}

const spans = /`([^`]+)`|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g;

// Links are text with their addresses, for nothing on this page leads away from this machine.
/** A line of text with its code and emphasis. */
export function inline(text) {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(spans)) {
    nodes.push(text.slice(end, found.index));
    const [all, code, strong, alsoStrong, soft, name, address] = found;
    if (code !== undefined) nodes.push(element("code", {}, code));
    else if (strong ?? alsoStrong) nodes.push(element("strong", {}, strong ?? alsoStrong));
    else if (soft !== undefined) nodes.push(element("em", {}, soft));
    else nodes.push(element("span.link", { title: address }, name || address));
    end = found.index + all.length;
  }
  nodes.push(text.slice(end));
  return nodes;
}
