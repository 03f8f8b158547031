"""HTML by small functions; what is not markup already is escaped, so forgetting to escape is not possible.

`el` builds one element. A child of type `Html` is markup, everything else is text from somewhere (a manifest, a model,
a file name) and is escaped. Outside this module, `Html` is made of the page's own style sheet alone.
"""

import html
import re

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_VOID = frozenset({"meta", "img", "br"})


class Html(str):
    """Markup that is safe to put in a page as it is."""

    __slots__ = ()


def text(value: object) -> Html:
    """Return text as markup: escaped, and free of characters that an HTML page cannot hold.

    Example:
        >>> text("a <b> & 'c'"), text(3)
        ('a &lt;b&gt; &amp; &#x27;c&#x27;', '3')
    """
    if isinstance(value, Html):
        return value
    # A file name that is not UTF-8 holds lone surrogates, which cannot be written.
    encodable = str(value).encode("utf-8", "replace").decode("utf-8")
    return Html(html.escape(_UNPRINTABLE.sub("\ufffd", encodable), quote=True))


def fragment(*children: object) -> Html:
    """Return the children one after another."""
    return Html("".join(text(child) for child in children))


def el(tag: str, *children: object, **attributes: object) -> Html:
    """Return one element.

    Args:
        tag: Element name, never text from outside.
        children: Markup (`Html`) or text to escape.
        attributes: Attribute values, escaped. A trailing underscore is dropped and others become hyphens (`class_`,
            `aria_label`); `None` leaves the attribute out.

    Example:
        >>> el("td", "1 < 2", el("br"), class_="num", title=None)
        '<td class="num">1 &lt; 2<br></td>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{text(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in _VOID:
        return Html(f"<{tag}{written}>")
    return Html(f"<{tag}{written}>{fragment(*children)}</{tag}>")


def document(root: Html) -> Html:
    """Return a whole page, given its `html` element."""
    return Html(f"<!doctype html>\n{root}\n")


def name(value: object) -> Html:
    """Return a name from outside, kept from turning the writing direction of what stands around it."""
    return el("bdi", value)


def aside(value: object) -> Html:
    """Return text for screen readers alone."""
    return el("span", value, class_="sr")


def table(caption: object, head: Html, rows: list[Html], *, wide: str | None = None, class_: str | None = None) -> Html:
    """Return a table; `wide` names the region in which a table wider than the screen scrolls."""
    built = el("table", el("caption", el("span", caption)), el("thead", head), el("tbody", *rows), class_=class_)
    if wide is None:
        return built
    # Focusable, so that it can be scrolled from the keyboard.
    return el("div", built, class_="scroll", role="region", aria_label=wide, tabindex=0)
