"""Pages per second and memory of readers of PDF files, side by side: a table in Markdown.

    cargo build --release -p loopctl-read --example read_pages
    python3 crates/read/tests/pdf_speed.py target/release/examples/read_pages FILE.pdf...

Readers: this one in process, poppler (`pdftotext -layout`, `-bbox`), and pdfium if `pypdfium2` is there (run
with the Python of `pdf_oracles.txt`). Each run is a process of its own; the best of three counts. Seconds are those of a
processor, its children included, so that other work on the machine counts little.
"""

import os
import subprocess
import sys

PDFIUM = """
import sys, pypdfium2
document = pypdfium2.PdfDocument(sys.argv[1])
for page in document:
    text = page.get_textpage()
    text.get_text_range()
    for at in range(text.count_chars()):
        text.get_charbox(at)
    text.close()
    page.close()
"""


def measured(command):
    """Seconds of a processor and MiB at most, of a command and its children."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        import resource

        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(write, f"{usage.ru_utime + usage.ru_stime} {usage.ru_maxrss / 1024}".encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    seconds, mebibytes = os.read(read, 100).decode().split()
    os.close(read)
    return float(seconds), float(mebibytes)


def pages(file):
    told = subprocess.run(["pdfinfo", file], capture_output=True, text=True, check=True).stdout
    return int(next(line for line in told.splitlines() if line.startswith("Pages:")).split()[1])


ours, *files = sys.argv[1:]
readers = {
    "loopctl": [ours],
    "`pdftotext -layout`": ["pdftotext", "-layout"],
    "`pdftotext -bbox`": ["pdftotext", "-bbox"],
    "pdfium": [sys.executable, "-c", PDFIUM],
}
print("| document | reader | pages per second | MiB |\n| --- | --- | ---: | ---: |")
for file in files:
    count, name = pages(file), os.path.basename(file)
    for reader, command in readers.items():
        tail = ["-"] if command[0] == "pdftotext" else []
        runs = [measured([*command, file, *tail]) for _ in range(3)]
        seconds, mebibytes = min(run[0] for run in runs), min(run[1] for run in runs)
        print(f"| {f'`{name}`, {count} pages' if reader == 'loopctl' else ''} | {reader} | {count / max(seconds, 0.001):.0f} | {mebibytes:.0f} |", flush=True)
