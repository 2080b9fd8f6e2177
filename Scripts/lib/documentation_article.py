"""A page of Documentation/ as a DocC article."""

import os
import re
import shutil
import urllib.parse

FENCE = re.compile(r"^\s*```")
HEADING = re.compile(r"^(#+) +(.*?) *$")
# Images and links; the text may contain code with brackets.
LINK = re.compile(r"(!?)\[((?:`[^`]*`|\[[^\]]*\]\([^)]*\)|[^\]`])*)\]\(([^)\s]+)\)")
CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")


class ArticleError(Exception):
    pass


class Article:
    """A page with its links to other pages, images and types resolved for DocC."""

    def __init__(self, folder, name, articles, types):
        self.folder, self.name, self.articles, self.types = folder, name, set(articles), types
        self.text = read(folder, name)
        self.images = {}

    def write(self, catalog):
        """Writes the article and its images into a catalog."""
        text = self.converted()
        with open(os.path.join(catalog, article_name(self.name) + ".md"), "w", encoding="utf-8") as file:
            file.write(text)
        for source, name in self.images.items():
            shutil.copy(source, os.path.join(catalog, name))

    def converted(self):
        lines, in_code = [], False
        for line in re.sub(r"^<!--.*?-->\n", "", self.text, flags=re.DOTALL | re.MULTILINE).split("\n"):
            if FENCE.match(line):
                in_code = not in_code
            elif not in_code:
                line = self.prose(line)
            lines.append(line)
        return "\n".join(lines)

    def prose(self, line):
        if HEADING.match(line):
            return line
        parts, position = [], 0
        for link in LINK.finditer(line):
            parts += [self.symbols(line[position:link.start()]), self.link(*link.groups())]
            position = link.end()
        return "".join(parts) + self.symbols(line[position:])

    def symbols(self, text):
        """Turns code that names a type into a link to it."""
        return CODE.sub(
            lambda code: f"``{self.types[code[1]]}``" if code[1] in self.types else code[0], text)

    def link(self, mark, text, target):
        if re.match(r"[a-z]+:", target):
            return f"{mark}[{text}]({target})"
        path, _, anchor = target.partition("#")
        if mark:
            return f"![{text}]({self.image(path)})"
        page = self.name if not path else path.removesuffix(".md")
        heading = self.heading(path or self.name + ".md", anchor) if anchor else None
        if text == path and path.endswith(".md"):
            text = plain(next(headings(read(self.folder, page))))  # the title instead of the file name
        if page not in self.articles:
            return text
        # DocC replaces the spaces of a heading by hyphens and ignores its markup.
        fragment = "#" + urllib.parse.quote(re.sub(r"\s+", "-", plain(heading))) if heading else ""
        return f"[{text}](doc:{article_name(page)}{fragment})"

    def image(self, path):
        source = os.path.join(self.folder, path)
        if not os.path.exists(source):
            raise ArticleError(f"Documentation/{self.name}.md: the image {path} does not exist")
        self.images[source] = path.replace("/", "-")
        return self.images[source]

    def heading(self, path, anchor):
        """The heading with an anchor in a page."""
        name = path.removesuffix(".md")
        found = [h for h in headings(read(self.folder, name)) if slug(h) == anchor]
        if not found:
            raise ArticleError(f"Documentation/{self.name}.md: {path} has no heading '#{anchor}'")
        return found[0]


def article_name(page):
    """The file name of an article, which must differ from the names of symbols."""
    return page + "-article"


def read(folder, name):
    try:
        with open(os.path.join(folder, name + ".md"), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        raise ArticleError(f"Documentation/{name}.md does not exist") from None


def headings(text):
    in_code = False
    for line in text.split("\n"):
        if FENCE.match(line):
            in_code = not in_code
        elif not in_code and HEADING.match(line):
            yield HEADING.match(line)[2]


def plain(heading):
    """A heading without markup."""
    return re.sub(r"[`*]", "", LINK.sub(r"\2", heading))


def slug(heading):
    """The anchor that Markdown renderers give a heading."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain(heading).lower()))
