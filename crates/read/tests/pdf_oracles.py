"""Words of a PDF as other readers see them: a line of JSON for each page, with [text, left, top, right, bottom] for each word."""

import json
import sys


def of_pdfium(file):
    import pypdfium2

    for page in pypdfium2.PdfDocument(file):
        height, read = page.get_height(), page.get_textpage()
        words, word = [], None
        for at in range(read.count_chars()):
            character = read.get_text_range(at, 1)
            if not character.strip():
                word = None
                continue
            left, bottom, right, top = read.get_charbox(at, loose=True)
            box = [left, height - top, right, height - bottom]
            if word is None:
                word = [character, *box]
                words.append(word)
            else:
                word[0] += character
                word[1:] = [min(word[1], box[0]), min(word[2], box[1]), max(word[3], box[2]), max(word[4], box[3])]
        yield words


def of_pylopdf(file):
    import pylopdf

    document = pylopdf.open(file)
    for number in range(document.page_count):
        yield [[text, left, top, right, bottom] for left, top, right, bottom, text, *_ in document[number].get_text("words")]


reader, file = sys.argv[1:]
for words in {"pdfium": of_pdfium, "pylopdf": of_pylopdf}[reader](file):
    print(json.dumps(words))
