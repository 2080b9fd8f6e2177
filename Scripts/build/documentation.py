#!/usr/bin/env python3
"""Scripts/build/documentation.py: converts symbol graphs, catalogs and pages into one documentation archive.

A catalog `LIBRARY.docc` in the folder of the library is optional. Its page LIBRARY.md lists every top-level symbol under
"Topics", and the pages of Documentation/ that become articles, as `<doc:Page>`.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import built_modules  # noqa: E402
from documentation_article import Article, ArticleError, article_name  # noqa: E402
from project_files import ROOT  # noqa: E402

PAGES = os.path.join(ROOT, "Documentation")
OUTPUT = os.path.join(ROOT, ".build/docs")
WORK = os.path.join(ROOT, ".build/docs-work")


def main():
    for folder in (OUTPUT, WORK):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    archives, failed = [], []
    for library in built_modules.libraries(ROOT):
        print(f"\n==> Documentation of {library}", file=sys.stderr, flush=True)
        archive = os.path.join(OUTPUT, library + ".doccarchive")
        has_no_errors = build(library, archive)
        if has_no_errors is not None:
            (archives if has_no_errors else failed).append(archive)
    if failed:
        names = ", ".join(os.path.basename(name).split(".")[0] for name in failed)
        sys.exit(f"error: the documentation of {names} has errors")
    merged = os.path.join(OUTPUT, "All.doccarchive")
    subprocess.run(["docc", "merge", *archives, "--synthesized-landing-page-name", "TensorIO",
                    "--output-path", merged], check=True)
    finish_site(merged)
    print(os.path.relpath(merged, ROOT), file=sys.stderr)


def finish_site(folder):
    """Adds what a static server needs: a first page that leads to the libraries, and the settings that every page requests."""
    with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
        file.write('<!doctype html><html lang="en"><meta charset="utf-8"><title>TensorIO</title>'
                   '<meta http-equiv="refresh" content="0; url=documentation/">'
                   '<p><a href="documentation/">Documentation of TensorIO</a></p></html>\n')
    with open(os.path.join(folder, "theme-settings.json"), "w", encoding="utf-8") as file:
        file.write("{}\n")


def build(library, archive):
    """Builds the archive of a library; returns whether it has no errors, or None for one without symbols."""
    graphs = os.path.join(WORK, library + "-graphs")
    built_modules.symbol_graphs(ROOT, library, graphs)
    symbols = built_modules.symbols(graphs, library)
    if not top_level(symbols):
        return None
    catalog, errors = [], []
    if os.path.isdir(own_catalog(library)):
        folder = os.path.join(WORK, library + ".docc")
        errors = make_catalog(library, symbols, folder)
        catalog = [folder]
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    conversion = subprocess.run(
        ["docc", "convert", *catalog, "--additional-symbol-graph-dir", graphs, "--warnings-as-errors",
         "--fallback-display-name", library, "--fallback-bundle-identifier", "tensorio." + library,
         "--output-path", archive], stdout=sys.stderr)
    return not errors and conversion.returncode == 0


def own_catalog(library):
    return os.path.join(built_modules.source_folder(ROOT, library), library + ".docc")


def make_catalog(library, symbols, folder):
    """Copies a library's catalog and adds the articles that it lists; returns the errors."""
    own = own_catalog(library)
    shutil.copytree(own, folder)
    landing = os.path.relpath(os.path.join(own, library + ".md"), ROOT)
    with open(os.path.join(ROOT, landing), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(folder, library + ".md"), "w", encoding="utf-8") as file:
        file.write(re.sub(r"<doc:(\w+)>", lambda page: f"<doc:{article_name(page[1])}>", text))
    copy_images(folder)
    topics = text.partition("\n## Topics\n")[2]
    listed = re.findall(r"^- ``([^`]+)``$", topics, re.MULTILINE)
    pages = re.findall(r"^- <doc:(\w+)>$", topics, re.MULTILINE)
    errors = [f"{landing}: '{name}' is under no topic" for name in top_level(symbols) - set(listed)]
    errors += [f"{landing}: '{name}' is listed twice" for name in sorted(set(listed)) if listed.count(name) > 1]
    for page in pages:
        try:
            Article(PAGES, page, pages, types(symbols)).write(folder)
        except ArticleError as error:
            errors.append(str(error))
    return sorted(errors)


def copy_images(folder):
    """Adds the images of Documentation/ that tutorials show."""
    for path in glob.glob(os.path.join(glob.escape(folder), "Tutorials/*.tutorial")):
        with open(path, encoding="utf-8") as file:
            for name in re.findall(r'@Image\(source: "([^"]+)"', file.read()):
                shutil.copy(os.path.join(PAGES, "Gallery", name), os.path.join(folder, "Tutorials"))


def top_level(symbols):
    """The names of top-level symbols, without those that only redirect to another name."""
    return {s["pathComponents"][0] for s in symbols
            if len(s["pathComponents"]) == 1 and not is_unavailable(s)}


def is_unavailable(symbol):
    return any(a.get("isUnconditionallyUnavailable") for a in symbol.get("availability", []))


def types(symbols):
    """The paths of all types, by their names in Swift code."""
    kinds = {"swift.struct", "swift.class", "swift.enum", "swift.protocol"}
    return {".".join(s["pathComponents"]): "/".join(s["pathComponents"])
            for s in symbols if s["kind"]["identifier"] in kinds}


main()
