# SPDX-License-Identifier: BSD-3-Clause
"""check_browser.py MTREE REPORT.json [FOLDER]: open the HTML page of a report in headless Chromium, in its light and its dark
theme, with nothing to reach but the file; switch its trees on; keep pictures of it in FOLDER.

CHROMIUM names the browser."""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

# Adds up what the page holds and asks for, before and after every box was checked.
PROBE = """<script>
var before = document.querySelectorAll('.tree.on').length;
document.querySelectorAll('input[data-all]').forEach(function(box) { if (!box.checked) { box.click(); } });
var on = document.querySelectorAll('.tree.on'), drawn = 0;
on.forEach(function(tree) { drawn += tree.getBoundingClientRect().width > 0; });
document.title = 'probed ' + [before, on.length, document.querySelectorAll('.tree').length, drawn,
    document.querySelectorAll('svg.fading').length, performance.getEntriesByType('resource').length].join(' ');
</script></body>"""


def find_browser():
    for name in (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"):
        if name and shutil.which(name):
            return name
    sys.exit("check_browser.py: there is no Chromium here; on Debian: apt-get install chromium, or name one: CHROMIUM=PATH")


def browse(browser, folder, page, *options):
    # Without a sandbox it runs as root, too; the profile goes with the folder.
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile",
               "--host-resolver-rules=MAP * ~NOTFOUND", *options, page.as_uri()]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout.decode()


def first_pixel(path):
    """Red, green and blue of the upper left corner of an 8-bit PNG, whose first byte of a line no filter changes there."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[24] == 8, "no 8-bit PNG"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    return tuple(zlib.decompress(packed)[1:4])


def main():
    browser, mtree, report = find_browser(), sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        pictures = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else folder)
        page, probed = pathlib.Path(folder, "report.html"), pathlib.Path(folder, "probed.html")
        subprocess.run([mtree, "report", "--html", report, "-o", page], check=True)
        text = page.read_text()
        probed.write_text(text.replace("</body>", PROBE))
        shown = browse(browser, folder, probed, "--dump-dom")
        figures = shown.split("<title>probed ")[1].split("</title>")[0].split()
        before, on, trees, drawn, fading, asked = (int(figure) for figure in figures)
        assert before > 0 == asked and on == drawn == trees > 0 and fading > 0, figures
        for theme, scheme in (("light", 1), ("dark", 0)):
            picture = pictures / f"report-{theme}.png"
            browse(browser, folder, page, f"--blink-settings=preferredColorScheme={scheme}", "--window-size=1200,2000",
                   f"--screenshot={picture}")
            corner = first_pixel(picture)
            assert (min(corner) > 200) if theme == "light" else (max(corner) < 60), (theme, corner)
        print(f"check_browser.py: {trees} trees switched on, both themes, nothing asked for")


main()
