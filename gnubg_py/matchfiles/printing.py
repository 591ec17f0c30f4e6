"""Pages of plain text as LaTeX, PostScript and PDF, for printers.

A page is A4 in Courier of 9 points: 72 lines of up to 95 characters. Files of all three formats are
pure ASCII; characters that Latin-1 does not have become question marks.
"""

from __future__ import annotations

LINES, LEFT, TOP, POINTS, LEADING = 72, 42, 800, 9, 10.5
_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_ESCAPED = "&%$#_{}"


def pages(text: str) -> list[list[str]]:
    """The lines of a text, divided into pages; there is at least one page."""
    lines = text.expandtabs().rstrip("\n").split("\n")
    return [lines[i : i + LINES] for i in range(0, len(lines), LINES)]


def latex(text: str) -> str:
    """A LaTeX document that prints every line unchanged.

    >>> r"50\\%~won" in latex("50% won")
    True
    """
    lines = [f"\\mbox{{{_latex_line(line)}}}\\\\" for page in pages(text) for line in page]
    return "\n".join(
        [
            "\\documentclass[a4paper,9pt]{extarticle}",
            "\\usepackage[latin1]{inputenc}\\usepackage[margin=15mm]{geometry}",
            "\\begin{document}\\noindent\\ttfamily\\small",
            *lines,
            "\\end{document}\n",
        ]
    )


def _latex_line(line: str) -> str:
    out = []
    for c in line.encode("latin-1", "replace").decode("latin-1"):
        if c == " ":
            out.append("~")
        elif c in _ESCAPED:
            out.append(f"\\{c}")
        else:
            out.append(_SPECIAL.get(c, c if c.isascii() else f"\\symbol{{{ord(c)}}}"))
    return "".join(out)


def _string(line: str) -> str:
    """A line as a string of PostScript and PDF: in brackets, special characters as escapes.

    >>> _string("a (b)")
    '(a \\\\(b\\\\))'
    """
    out = []
    for byte in line.encode("latin-1", "replace"):
        c = chr(byte)
        out.append(f"\\{c}" if c in "\\()" else c if 32 <= byte < 127 else f"\\{byte:03o}")
    return f"({''.join(out)})"


def postscript(text: str) -> str:
    """A document in PostScript.

    >>> postscript("one").startswith("%!PS-Adobe-3.0")
    True
    """
    sheets = pages(text)
    out = ["%!PS-Adobe-3.0", f"%%Pages: {len(sheets)}", "%%EndComments"]
    for number, page in enumerate(sheets, start=1):
        out += [f"%%Page: {number} {number}", f"/Courier findfont {POINTS} scalefont setfont"]
        for row, line in enumerate(page):
            out.append(f"{LEFT} {TOP - row * LEADING:g} moveto {_string(line)} show")
        out.append("showpage")
    return "\n".join([*out, "%%EOF\n"])


def pdf(text: str) -> str:
    """A document in PDF 1.4 (ISO 32000): a catalogue, a font, and the pages with their lines.

    >>> pdf("one").startswith("%PDF-1.4")
    True
    """
    sheets = pages(text)
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(sheets)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(sheets)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    ]
    for i, page in enumerate(sheets):
        shown = "".join(f"{_string(line)} Tj T*\n" for line in page)
        stream = f"BT /F1 {POINTS} Tf {LEADING} TL {LEFT} {TOP} Td\n{shown}ET"
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * i} 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    return _pdf_file(objects)


def _pdf_file(objects: list[str]) -> str:
    """A PDF file of objects, numbered from 1, with the table of their places."""
    out, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    return (
        f"{out}xref\n0 {count}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    )


PRINTED = {"latex": latex, "pdf": pdf, "ps": postscript}
"""The formats by gnubg's names."""
