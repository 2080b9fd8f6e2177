"""Plots the accuracy per round of a federated training: python plot_rounds.py history.json CENTRALIZED OUTPUT.svg."""

import json
import pathlib
import sys

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 320, 48, 36


def svg(history: list[dict], centralized: float) -> str:
    last = max(1, history[-1]["round"])

    def place(number: float, value: float) -> str:
        across = LEFT + (WIDTH - LEFT - 16) * number / last
        return f"{across:.1f},{HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 16) * value:.1f}"

    def line(first: str, second: str, style: str) -> str:
        (x1, y1), (x2, y2) = first.split(","), second.split(",")
        return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {style}/>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for tenth in range(0, 11, 2):
        parts.append(line(place(0, tenth / 10), place(last, tenth / 10), 'stroke="#ddd"'))
        x, y = place(0, tenth / 10).split(",")
        parts.append(f'<text x="{float(x) - 8:.1f}" y="{float(y) + 4:.1f}" text-anchor="end">{tenth / 10:.1f}</text>')
    for number in range(0, last + 1, max(1, last // 10)):
        x, _ = place(number, 0).split(",")
        parts.append(f'<text x="{x}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{number}</text>')
    parts.append(line(place(0, centralized), place(last, centralized), 'stroke="#c33" stroke-dasharray="6 4"'))
    points = [(entry["round"], entry["metrics"]["accuracy"], entry["dropped"]) for entry in history]
    path = " ".join(place(number, value) for number, value, _ in points)
    parts.append(f'<polyline points="{path}" fill="none" stroke="#26c" stroke-width="2"/>')
    for number, value, dropped in points:
        x, y = place(number, value).split(",")
        parts.append(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{"white" if dropped else "#26c"}" stroke="#26c"/>')
    x, y = place(last, centralized).split(",")
    parts.append(f'<text x="{x}" y="{float(y) - 6:.1f}" text-anchor="end" fill="#c33">centralized {centralized:.3f}</text>')
    parts.append(f'<text x="{WIDTH - 16}" y="{HEIGHT - BOTTOM - 12}" text-anchor="end">accuracy per round; hollow: clients were dropped</text>')
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    pathlib.Path(sys.argv[3]).write_text(svg(json.loads(text), float(sys.argv[2])), encoding="utf-8")
