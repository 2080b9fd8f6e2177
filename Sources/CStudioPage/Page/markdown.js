// Renders the subset of Markdown that model cards use. Markup in the text stays text.

import { element } from "./dom.js";

/** Returns the elements of a text; its top headings have the given level. */
export function markdown(text, level = 3) {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const nodes = [];
  let index = 0;
  while (index < lines.length) {
    const [node, next] = block(lines, index, level);
    if (node) nodes.push(node);
    index = Math.max(next, index + 1);
  }
  return nodes;
}

// Each block function returns an element and the index of the next line.
function block(lines, start, level) {
  const line = lines[start];
  if (!line.trim()) return [null, start + 1];
  if (/^```/.test(line)) return codeBlock(lines, start);
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  if (heading) {
    const tag = `h${Math.min(6, level + heading[1].length - 1)}`;
    return [element(tag, {}, inline(heading[2])), start + 1];
  }
  if (isTable(lines, start)) return tableBlock(lines, start);
  if (bulletPattern.test(line)) return list(lines, start, "ul", bulletPattern);
  if (numberPattern.test(line)) return list(lines, start, "ol", numberPattern);
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return [element("hr"), start + 1];
  if (/^\s*>/.test(line)) return quote(lines, start, level);
  return paragraph(lines, start);
}

const bulletPattern = /^\s*[-*+]\s+/;
const numberPattern = /^\s*\d+[.)]\s+/;
const tableRulePattern = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const isTable = (lines, start) =>
  lines[start].includes("|") && tableRulePattern.test(lines[start + 1] ?? "");

function codeBlock(lines, start) {
  let end = start + 1;
  while (end < lines.length && !/^```/.test(lines[end])) end += 1;
  const code = lines.slice(start + 1, end).join("\n");
  return [element("pre", { tabindex: "0" }, element("code", {}, code)), end + 1];
}

function tableBlock(lines, start) {
  let end = start + 2;
  while (end < lines.length && lines[end].includes("|")) end += 1;
  const cells = (line) =>
    line
      .trim()
      .replace(/^\||\|$/g, "")
      .split("|")
      .map((cell) => cell.trim());
  const row = (tag, line) =>
    element(
      "tr",
      {},
      cells(line).map((cell) => element(tag, tag === "th" ? { scope: "col" } : {}, inline(cell))),
    );
  return [
    element(
      "div.scroll",
      {},
      element(
        "table",
        {},
        element("thead", {}, row("th", lines[start])),
        element(
          "tbody",
          {},
          lines.slice(start + 2, end).map((line) => row("td", line)),
        ),
      ),
    ),
    end,
  ];
}

function list(lines, start, tag, marker) {
  const items = [];
  let end = start;
  while (end < lines.length && lines[end].trim()) {
    if (marker.test(lines[end])) items.push(lines[end].replace(marker, ""));
    else items[items.length - 1] += ` ${lines[end].trim()}`;
    end += 1;
  }
  return [
    element(
      tag,
      {},
      items.map((item) => element("li", {}, inline(item))),
    ),
    end,
  ];
}

function quote(lines, start, level) {
  let end = start;
  while (end < lines.length && /^\s*>/.test(lines[end])) end += 1;
  const text = lines
    .slice(start, end)
    .map((line) => line.replace(/^\s*>\s?/, ""))
    .join("\n");
  return [element("blockquote", {}, markdown(text, level)), end];
}

function paragraph(lines, start) {
  const endsParagraph = (line) =>
    !line.trim() || /^(#{1,6}\s|```)/.test(line) || bulletPattern.test(line);
  let end = start + 1;
  while (end < lines.length && !endsParagraph(lines[end])) end += 1;
  return [element("p", {}, inline(lines.slice(start, end).join(" "))), end];
}

const inlinePattern =
  /`([^`]+)`|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g;

/**
 * Returns the nodes of a line with code, emphasis and links.
 * Links are text with their address as a title, because the page never leads to other sites.
 */
export function inline(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(inlinePattern)) {
    nodes.push(text.slice(end, match.index));
    const [all, code, strong, otherStrong, emphasis, title, address] = match;
    if (code !== undefined) nodes.push(element("code", {}, code));
    else if (strong ?? otherStrong) nodes.push(element("strong", {}, strong ?? otherStrong));
    else if (emphasis !== undefined) nodes.push(element("em", {}, emphasis));
    else nodes.push(element("span.link-text", { title: address }, title || address));
    end = match.index + all.length;
  }
  nodes.push(text.slice(end));
  return nodes;
}
