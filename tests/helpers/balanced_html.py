"""Check the tags of a page, and text that would break out of it if it were not escaped."""

from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input"}
EVIL = "<img src=x onerror=\"alert('1')\">&"


class Balanced(HTMLParser):
    """Fails on a tag that is closed out of turn; keeps all attributes."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.attributes, self.tags, self.said = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *attr) for attr in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *attr) for attr in attrs]

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.said.append(data)


def parse(page):
    parser = Balanced()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser
