"""Signals of the gate on good pages and on bad ones made of them: a table in Markdown.

    python3 crates/read/tests/gate_signals.py target/release/loopctl FILE.pdf...

Needs poppler, tesseract and Pillow. Of the first page of each file: the page itself; a scan of it; scans that are askew, of
low resolution, noisy or in shadow; and scans with a layer of text that says what is seen, that lies in one block, that is
that of another page, or that is a page of text over no picture of it.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

from PIL import Image, ImageChops, ImageFilter

DPI = 200
SIGNALS = ["skew", "ocr_confidence", "layer_agreement", "unread_ink", "hidden_words"]
PROFILE = "extends: clinical\ningest:\n  gate:\n    layer_agreement: { below: 0.6, then: review }\n"


def scan(file):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["pdftoppm", "-r", str(DPI), "-gray", "-l", "1", "-singlefile", file, f"{folder}/page"], check=True)
        return Image.open(f"{folder}/page.pgm").copy()


def words(file):
    """Words of the first page with their boxes, in parts of the page."""
    told = subprocess.run(["pdftotext", "-bbox", "-l", "1", file, "-"], capture_output=True, text=True, check=True).stdout
    width = height = 1.0
    found = []
    for line in told.splitlines():
        parts = dict(part.split('="', 1) for part in line.replace('">', '" ').split('" ') if '="' in part)
        parts = {name.split()[-1]: value for name, value in parts.items()}
        if line.strip().startswith("<page"):
            width, height = float(parts["width"]), float(parts["height"])
        elif line.strip().startswith("<word"):
            text = line.split(">", 1)[1].rsplit("<", 1)[0]
            found.append((text, float(parts["xMin"]) / width, float(parts["yMin"]) / height, float(parts["xMax"]) / width, float(parts["yMax"]) / height))
    return found


def pdf(picture, layer=()):
    """A page of a picture, with a layer of text that is not drawn."""
    width, height = (side * 72 / DPI for side in picture.size)
    content = [f"q {width} 0 0 {height} 0 0 cm /I Do Q"]
    for text, x0, y0, x1, y1 in layer:
        plain = text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").encode("latin-1", "ignore").decode("latin-1")
        plain = plain.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        size = max((y1 - y0) * height * 0.8, 1)
        content.append(f"BT 3 Tr /F {size:.2f} Tf {x0 * width:.2f} {(1 - y1) * height + 0.2 * size:.2f} Td ({plain}) Tj ET")
    stream = "\n".join(content).encode("latin-1")
    pixels = picture.tobytes()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>/Font<</F 6 0 R>>>>>>".encode(),
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8/Length %d>>stream\n%s\nendstream"
        % (*picture.size, len(pixels), pixels),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"xref\n0 7\n0000000000 65535 f \n" + table + b"trailer<</Size 7/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(out)


def turned(picture, degrees):
    return picture.rotate(degrees, resample=Image.BICUBIC, fillcolor=255)


def coarse(picture, dpi):
    small = picture.resize([side * dpi // DPI for side in picture.size], Image.BILINEAR)
    return small.resize(picture.size, Image.BILINEAR)


def noisy(picture, sigma):
    noise = Image.effect_noise(picture.size, sigma)
    return ImageChops.add(picture.filter(ImageFilter.GaussianBlur(0.8)), noise, 1, -128)


def shadowed(picture):
    shade = Image.linear_gradient("L").rotate(90).resize(picture.size).point(lambda value: 90 + value * 165 // 255)
    return ImageChops.multiply(picture, shade)


def changed_block(layer):
    """A layer in which one block in the middle of the page says something else."""
    draw = random.Random(1)
    others = [word[0] for word in layer]
    block = [word for word in layer if 0.3 < word[2] < 0.45]
    return [(draw.choice(others)[::-1] if word in block else word[0], *word[1:]) for word in layer]


def variants(file, other):
    page, layer = scan(file), words(file)
    yield "good", "a page with its text", open(file, "rb").read()
    yield "good", "a scan", pdf(page)
    yield "good", "a scan, askew by 1°", pdf(turned(page, 1))
    yield "good", "a scan, in light shadow", pdf(shadowed(page))
    yield "good", "a scan with the layer that it shows", pdf(page, layer)
    for degrees in (5, 8):
        yield "bad", f"a scan, askew by {degrees}°", pdf(turned(page, degrees))
    yield "bad", "a scan of 60 dpi", pdf(coarse(page, 60))
    yield "bad", "a scan of 45 dpi", pdf(coarse(page, 45))
    yield "bad", "a scan with noise (σ 90)", pdf(noisy(page, 90))
    yield "bad", "a scan with the layer of another page", pdf(page, words(other))
    yield "bad", "a scan with a layer that is false in one block", pdf(page, changed_block(layer))


def main():
    program, *files = (os.path.abspath(argument) for argument in sys.argv[1:])
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/profiles")
        with open(f"{folder}/profiles/measured.yaml", "w", encoding="utf-8") as out:
            out.write(PROFILE)
        for number, file in enumerate(files):
            for kind, name, data in variants(file, files[number - 1]):
                with open(f"{folder}/page.pdf", "wb") as out:
                    out.write(data)
                told = subprocess.run([program, "read", "page.pdf", "--format", "json", "--profile", "measured"], cwd=folder, capture_output=True, text=True)
                try:
                    read = json.loads(told.stdout)["pages"][0]
                except (ValueError, KeyError, IndexError, TypeError):
                    rows.setdefault((kind, name), []).append((os.path.basename(file), None, told.stderr.strip()))
                    continue
                rows.setdefault((kind, name), []).append((os.path.basename(file), read["signals"], ""))
                print(os.path.basename(file), name, read["signals"], file=sys.stderr, flush=True)
    print("| | pages | " + " | ".join(f"`{signal}`" for signal in SIGNALS) + " |\n| --- | ---: |" + " ---: |" * len(SIGNALS))
    for (kind, name), pages in rows.items():
        cells = []
        for signal in SIGNALS:
            values = [signals[signal] for _, signals, _ in pages if signals and signals.get(signal) is not None]
            low, high = (min(values), max(values)) if values else (None, None)
            cells.append("" if low is None else f"{low:.2f}" if low == high else f"{low:.2f}–{high:.2f}")
        refused = sum(1 for _, signals, _ in pages if not signals)
        print(f"| {kind}: {name} | {len(pages)}{f', {refused} not read' if refused else ''} | " + " | ".join(cells) + " |")


main()
