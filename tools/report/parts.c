/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/parts.h"

/* Colours are named by what they say, so that each theme has its own. */
const char report_parts_style[] =
    ":root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#1b2430;"
    "--soft:#5b6775;--line:#dfe4ea;--accent:#0b62c4;--good:#1a7f4b;--bad:#b3261e;"
    "--u0:#ccd5df;--u1:#9cc3e8;--u2:#559fdd;--u3:#1f74c4;--u4:#0a3f80;"
    "--trees:#0b62c4;--ring:#12836b;--openmpi:#d0761b}"
    "@media (prefers-color-scheme:dark){:root{--page:#12161c;--card:#1b2129;"
    "--ink:#e7ecf2;--soft:#9aa7b5;--line:#313a46;--accent:#6fb1ff;--good:#5fd39a;"
    "--bad:#ff8a80;--u0:#3a4552;--u1:#2d5f92;--u2:#3584d1;--u3:#67b0f5;--u4:#c4e3ff;"
    "--trees:#5aa5f7;--ring:#3cc9a7;--openmpi:#f2a654}}"
    "*{box-sizing:border-box}"
    "body{margin:0;background:var(--page);color:var(--ink);"
    "font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',"
    "sans-serif}"
    "main{max-width:1120px;margin:0 auto;padding:28px 20px 60px}"
    "h1{font-size:26px;margin:0 0 2px;letter-spacing:-.01em}"
    "h2{font-size:18px;margin:34px 0 10px}"
    "p{margin:4px 0}.soft{color:var(--soft)}"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));"
    "gap:14px;margin:22px 0 6px}"
    ".card,section{background:var(--card);border:1px solid var(--line);"
    "border-radius:12px}"
    ".card{padding:14px 16px}.card b{display:block;font-size:25px;line-height:1.25;"
    "font-variant-numeric:tabular-nums}"
    ".good{color:var(--good)}.bad{color:var(--bad)}"
    "section{padding:16px 18px;margin:0 0 14px}"
    "svg{display:block;width:100%;height:auto}"
    "svg text{fill:var(--ink);font-size:12px}"
    ".wide{overflow-x:auto}"
    "table{border-collapse:collapse;width:100%;font-size:13.5px;"
    "font-variant-numeric:tabular-nums}"
    "th{text-align:left;color:var(--soft);font-weight:600;white-space:nowrap}"
    "th,td{padding:6px 10px 6px 0;border-bottom:1px solid var(--line);"
    "vertical-align:top;white-space:nowrap}"
    "tr:last-child td{border-bottom:0}.r{text-align:right}"
    "details{margin-top:12px}summary{cursor:pointer;color:var(--accent)}"
    ".keys{display:flex;flex-wrap:wrap;gap:6px 16px;margin:10px 0 0;font-size:13px;"
    "color:var(--soft)}"
    ".keys i{display:inline-block;width:22px;height:8px;border-radius:3px;"
    "margin-right:6px;vertical-align:1px}"
    ".picker{display:flex;flex-wrap:wrap;gap:4px 14px;font-size:13px;margin:6px 0 0}"
    ".picker legend,.picker strong{font-weight:600}"
    ".picker label{white-space:nowrap;cursor:pointer}"
    ".picker i{display:inline-block;width:14px;height:14px;border-radius:4px;"
    "margin:0 5px -2px 3px}"
    ".link{fill:none;stroke-linecap:round}.host{fill:var(--card);stroke:var(--ink);"
    "stroke-width:1.6}"
    ".name{font-weight:600;paint-order:stroke;stroke:var(--card);stroke-width:4px;"
    "stroke-linejoin:round}"
    ".switch{fill:var(--u0);stroke:var(--soft)}"
    ".tree{display:none;fill:none;stroke-width:3.2;stroke-linecap:round;"
    "stroke-linejoin:round}"
    ".tree.on{display:inline}.fading .link{opacity:.22}"
    ".axis{stroke:var(--line)}"
    ".trees{fill:var(--trees);background:var(--trees)}"
    ".ring{fill:var(--ring);background:var(--ring)}"
    ".openmpi,.rival{fill:var(--openmpi);background:var(--openmpi)}"
    ".u0{stroke:var(--u0);background:var(--u0)}"
    ".u1{stroke:var(--u1);background:var(--u1)}"
    ".u2{stroke:var(--u2);background:var(--u2)}"
    ".u3{stroke:var(--u3);background:var(--u3)}"
    ".u4{stroke:var(--u4);background:var(--u4)}"
    "@media print{body{background:#fff}section,.card{break-inside:avoid}}";

/* A checkbox names the group that it shows; links fade while any is shown. */
const char report_parts_script[] =
    "document.querySelectorAll('input[data-tree]').forEach(function(box){"
    "box.addEventListener('change',function(){"
    "var svg=box.closest('section').querySelector('svg');"
    "svg.querySelector('#'+box.dataset.tree).classList.toggle('on',box.checked);"
    "svg.classList.toggle('fading',svg.querySelector('.tree.on')!==null);});});"
    "document.querySelectorAll('input[data-all]').forEach(function(box){"
    "box.addEventListener('change',function(){"
    "box.closest('.picker').querySelectorAll('input[data-tree]').forEach("
    "function(one){if(one.checked!==box.checked){one.click();}});});});";

/* Okabe and Ito's, which most people can tell apart and which stand out from both themes.
 */
const char *report_parts_colour(size_t tree)
{
    static const char *const colours[] = {"#D55E00", "#0097D6", "#009E73", "#CC79A7",
                                          "#E69F00", "#8A63D2", "#B5179E", "#6AA121",
                                          "#C0392B", "#3F8F8B"};

    return colours[tree % (sizeof(colours) / sizeof(colours[0]))];
}
