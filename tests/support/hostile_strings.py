"""Strings that try to leave the root, or to mean something to whatever reads them next."""

from itertools import product

TARGETS = ("etc/passwd", "outside.txt", "../outside.txt", ".git/config", ".env", ".satchel/token")
CLIMBS = (
    "../", "..\\", "..//", "../../../../../../../", "..;/", "....//", "..%2f", "%2e%2e/",
    "%2e%2e%2f", "..%252f", "%252e%252e%252f", "..%c0%af", "..%u2215", ".%00./", "a/../../",
    "./../", "/", "//", "///", "\\", "C:\\", "C:/", "\\\\server\\share\\", "file:///", "~/",
    "~root/", "/proc/self/root/", "/proc/self/cwd/../", "/dev/fd/0/../../", "//?/C:/",
    "a/b/../../../",
    "link/", "link/../", "app/%2e%2e/%2e%2e/", "..\u2215", "\uff0e\uff0e/", "．．／", "..\x00/",
    "\n../", " ../", "../ ", "%0a../", "..\t/", "\u202e../",
)  # fmt: skip
WORDS = (
    "", ".", "..", "...", "-", "--", "*", "?", "[", "%", "_", "'", '"', "`", "\\", "\x00", "a\x00b",
    "\n", "\r\n", "\x1b[31m", "\u202e", "\ufeff", "\ud7ff", "😀", "a" * 4_096, "/" * 4_096,
    "../" * 1_300, "' OR 1=1 --", "'; DROP TABLE files; --", '" UNION SELECT * FROM meta --',
    "%' --", "NEAR(a b)", "a OR b", "name:*", "x^2", "$(touch sprung)", "`touch sprung`",
    "; touch sprung", "| touch sprung", "&& touch sprung", "${HOME}", "%(name)s", "{0}", "{value}",
    "{{7*7}}", "<script>alert(1)</script>", "]]>", "<!--", "--upload-pack=touch sprung",
    "-oProxyCommand=touch sprung", "--output=sprung", "HEAD; touch sprung", "@{upstream}",
    ":/etc", "ext::sh -c touch% sprung", "refs/../../etc", "symbol:../x", "project", "javascript:x",
    "data:text/plain,x", "http://127.0.0.1/", "\\u002e\\u002e/", "&#46;&#46;/", "CON", "NUL",
    "aux.py",
)  # fmt: skip

STRINGS = tuple(
    dict.fromkeys([*(climb + target for climb, target in product(CLIMBS, TARGETS)), *WORDS])
)
"""More than 300, all different."""
