extension SVGChartRenderer {
  /// The style rules of figures with charts.
  ///
  /// The page defines the variables of the colors: `--text`, `--secondary`, `--border`, `--surface`
  /// and `--page-background`, `--correct` and `--incorrect`, and `--s0` to `--s9` for lines.
  package static let rules: StaticString = """
    .chart-grid {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr));
      gap: 2rem; margin-top: 2rem;
    }
    .chart-figure { margin: 0; min-width: 0; }
    .chart-figure > h3 { margin: 0 0 0.5rem; font-size: 0.95rem; }
    .chart-figure.wide { grid-column: 1 / -1; }
    .chart-figure figcaption { color: var(--secondary); font-size: 0.84rem; margin-top: 0.35rem; }
    .chart {
      display: block; width: min(100%, var(--width) * 1.2px); min-width: calc(var(--width) * 0.75px);
      height: auto;
    }
    .chart text { fill: var(--secondary); font: 11px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
    .chart .name { fill: var(--text); font-size: 12px; }
    .chart .count { fill: var(--text); font-variant-numeric: tabular-nums; }
    .chart .middle { text-anchor: middle; }
    .chart .end { text-anchor: end; }
    .chart .grid, .chart .axis, .chart .reference-line, .chart .deviation, .chart .marker {
      stroke: var(--border); stroke-width: 1;
    }
    .chart .axis { stroke: var(--secondary); }
    .chart .reference-line { stroke: var(--secondary); stroke-dasharray: 3 4; }
    .chart .deviation { stroke: var(--incorrect); stroke-width: 2; stroke-opacity: 0.7; }
    .chart .marker { stroke: var(--incorrect); stroke-dasharray: 4 3; }
    .chart .dot { fill: var(--correct); fill-opacity: 0.85; stroke: var(--surface); }
    .chart .bar { fill: var(--correct); }
    .chart .matrix-background { fill: var(--page-background); stroke: var(--border); }
    .chart .correct-cell { fill: var(--correct); }
    .chart .incorrect-cell { fill: var(--incorrect); }
    .curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
    .s0 { stroke: var(--s0); } .s1 { stroke: var(--s1); stroke-dasharray: 7 3; }
    .s2 { stroke: var(--s2); } .s3 { stroke: var(--s3); stroke-dasharray: 7 3; }
    .s4 { stroke: var(--s4); } .s5 { stroke: var(--s5); stroke-dasharray: 7 3; }
    .s6 { stroke: var(--s6); } .s7 { stroke: var(--s7); stroke-dasharray: 7 3; }
    .s8 { stroke: var(--s8); } .s9 { stroke: var(--s9); stroke-dasharray: 7 3; }
    .curve.faint { stroke-width: 1; stroke-opacity: 0.4; stroke-dasharray: none; }
    .curve.point { stroke-width: 6; stroke-linecap: round; stroke-dasharray: none; }
    .legend {
      display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; margin: 0.5rem 0 0; padding: 0; list-style: none;
      font-size: 0.82rem;
    }
    .legend li { display: flex; align-items: center; gap: 0.4rem; max-width: 100%; }
    .legend .label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .legend .detail { color: var(--secondary); font-variant-numeric: tabular-nums; }
    .legend-key { flex: none; width: 22px; height: 8px; }
    """
}
