/// The style sheet of the report page, with light and dark color schemes and a narrow layout.
///
/// Text has a contrast ratio of at least 4.5, and lines of curves of at least 3.
enum ReportStyle {
  static let rules: StaticString = """
    :root {
      --page-background: #f7f6f3; --surface: #ffffff; --text: #1c2024; --secondary: #5a626b; --border: #e2dfd8;
      --accent: #1f5fae; --correct: #2f72c4; --incorrect: #d0582a; --good: #1b7a48; --bad: #b3372f;
      --bar: #dce8f6;
      --s0: #1f6fc4; --s1: #c2571a; --s2: #1f8a55; --s3: #c0304a; --s4: #7a52c8;
      --s5: #8a7400; --s6: #0d8a92; --s7: #bb3f93; --s8: #5d7d12; --s9: #6b747e;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --page-background: #131518; --surface: #1b1e22; --text: #e8eaec; --secondary: #a4acb5; --border: #30353c;
        --accent: #86b8f4; --correct: #5c9fe8; --incorrect: #ec7e4c; --good: #63cf97; --bad: #ff9288;
        --bar: #243a55;
        --s0: #6cb0f5; --s1: #f09a5c; --s2: #5fcb93; --s3: #f4798c; --s4: #b396f5;
        --s5: #d9bf3a; --s6: #4cc5cc; --s7: #ec86ca; --s8: #a5c850; --s9: #a9b3bd;
      }
    }
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; }
    body {
      margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 70rem; background: var(--page-background);
      color: var(--text); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans",
        sans-serif;
    }
    h1, h2, h3, h4, h5 { line-height: 1.25; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
    h1 { font-size: 2rem; letter-spacing: -0.015em; }
    h2 { font-size: 1.35rem; margin-bottom: 0.75rem; letter-spacing: -0.01em; }
    h3 { font-size: 1.05rem; margin: 1.75rem 0 0.75rem; }
    h4, h5 { font-size: 0.95rem; margin: 0 0 0.5rem; }
    p { margin: 0.5rem 0; overflow-wrap: anywhere; }
    a { color: var(--accent); }
    code, pre { font: 0.86em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    pre {
      margin: 0.75rem 0; padding: 0.75rem 1rem; overflow-x: auto; border: 1px solid var(--border);
      border-radius: 6px; background: var(--page-background);
    }
    .command { margin-top: 1rem; background: var(--surface); white-space: pre-wrap; overflow-wrap: anywhere; }
    .eyebrow {
      margin: 0 0 0.35rem; color: var(--accent); font-size: 0.8rem; font-weight: 600;
      letter-spacing: 0.09em; text-transform: uppercase;
    }
    .secondary { color: var(--secondary); }
    .path { margin-top: -0.5rem; font-size: 0.88rem; }
    section {
      margin-top: 1.75rem; padding: 1.5rem; border: 1px solid var(--border); border-radius: 10px;
      background: var(--surface);
    }
    footer { margin-top: 1.75rem; color: var(--secondary); font-size: 0.85rem; }
    .scroll { overflow-x: auto; }
    table { border-collapse: collapse; font-size: 0.92rem; font-variant-numeric: tabular-nums; }
    th, td {
      padding: 0.35rem 1.5rem 0.35rem 0; border-bottom: 1px solid var(--border); text-align: left;
      vertical-align: baseline; unicode-bidi: isolate;
    }
    th { font-weight: 500; }
    thead th { color: var(--secondary); font-size: 0.85rem; vertical-align: bottom; }
    thead small { display: block; font-weight: 400; }
    tbody tr:last-child > * { border-bottom: 0; }
    .number { padding: 0.35rem 0.75rem; text-align: right; white-space: nowrap; }
    .metrics { min-width: min(100%, 28rem); }
    .metrics thead .number { color: var(--text); font-weight: 600; white-space: normal; }
    .metrics thead small { color: var(--secondary); }
    .group th {
      padding-top: 1.1rem; color: var(--secondary); font-size: 0.75rem; font-weight: 600;
      letter-spacing: 0.07em; text-transform: uppercase;
    }
    .best { font-weight: 650; }
    .better { color: var(--good); font-weight: 650; }
    .worse { color: var(--bad); font-weight: 650; }
    .number small { display: block; color: var(--secondary); font-size: 0.78rem; font-weight: 400; }
    .verdict { margin: 0 0 1.5rem; padding: 0.75rem 1rem; border-left: 5px solid; background: var(--surface); }
    .verdict.passed { border-color: var(--good); }
    .verdict.failed { border-color: var(--bad); }
    .verdict.passed strong { color: var(--good); }
    .verdict.failed strong { color: var(--bad); }
    .classes tbody th { max-width: 22rem; overflow-wrap: anywhere; }
    .fraction {
      min-width: 7.5rem; background: linear-gradient(var(--bar), var(--bar)) no-repeat
        0.5rem 50% / calc(var(--fraction) * (100% - 0.5rem)) 68%;
    }
    details { margin-top: 1.5rem; }
    summary { cursor: pointer; font-weight: 600; margin-bottom: 0.6rem; }
    .notes { color: var(--secondary); font-size: 0.85rem; }
    .samples {
      display: grid; grid-template-columns: repeat(auto-fill, minmax(8.75rem, 1fr)); gap: 1.1rem 0.9rem;
    }
    .samples.wide { grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); }
    .sample { margin: 0; min-width: 0; font-size: 0.82rem; line-height: 1.4; }
    .enlargeable {
      width: min(100%, 160px * var(--width) / max(var(--width), var(--height)));
      aspect-ratio: var(--width) / var(--height); margin-bottom: 0.45rem; border-radius: 5px;
      background: var(--page-background); outline: 1px solid var(--border);
    }
    .frame img, .frame svg { position: absolute; inset: 0; display: block; width: 100%; height: 100%; }
    .pixelated { image-rendering: pixelated; }
    .frame rect { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; }
    .box-outline { stroke: #000000; stroke-opacity: 0.55; }
    .ground-truth-box { stroke: #ffffff; stroke-dasharray: 5 4; }
    .texts p, .sound { margin: 0 0 0.45rem; padding: 0.6rem 0.75rem; border-radius: 5px; background: var(--page-background); }
    .texts p { font-size: 0.9rem; line-height: 1.55; unicode-bidi: isolate; }
    mark {
      padding: 0.05em 0.15em; border-bottom: 2px solid var(--color); border-radius: 3px 3px 0 0; color: inherit;
      background: color-mix(in srgb, var(--color) 16%, transparent);
    }
    mark small { margin-left: 0.35em; color: var(--secondary); font-size: 0.72rem; }
    .sound svg { display: block; width: 100%; height: 3.5rem; }
    .wave { fill: none; stroke: var(--accent); stroke-width: 0.7; }
    .found { opacity: 0.28; }
    .found-labels { display: flex; flex-wrap: wrap; gap: 0.15rem 0.9rem; margin: 0.4rem 0; padding: 0; list-style: none; }
    .found-labels li { padding-left: 0.5rem; border-left: 3px solid var(--color); overflow-wrap: anywhere; }
    .found-labels small { color: var(--secondary); }
    audio { display: block; width: 100%; height: 2.25rem; margin-top: 0.4rem; }
    .sample span { display: block; overflow-wrap: anywhere; }
    .sample .name { color: var(--secondary); font-size: 0.76rem; }
    .fact i { color: var(--secondary); font-style: normal; }
    .fact b { font-weight: 600; unicode-bidi: isolate; }
    .correct { color: var(--good); }
    .incorrect { color: var(--bad); }
    .markdown { padding-left: 1rem; border-left: 3px solid var(--border); font-size: 0.93rem; }
    .markdown h3, .markdown h4, .markdown h5 { margin: 1.2rem 0 0.4rem; }
    .markdown :first-child { margin-top: 0; }
    @media (max-width: 40rem) {
      body { padding: 1.25rem 0.75rem 2.5rem; }
      section { padding: 1.1rem 0.9rem; }
      h1 { font-size: 1.55rem; }
      .samples:not(.wide) { grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr)); }
      table { font-size: 0.84rem; }
      th, td { padding-right: 0.75rem; }
      .number { padding: 0.35rem 0.4rem; }
      .fraction { min-width: 5.5rem; }
    }
    @media print { body { background: none; } section { border: 0; padding: 0; break-inside: avoid-page; } }
    """
}
