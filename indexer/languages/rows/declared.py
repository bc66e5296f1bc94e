"""What languages with a weak grammar declare by their keywords, as expressions for `by_braces`."""

from satchel.indexer.languages.outlines.braces import by_braces

_GIVEN = rb"\((?:[^(){};]|\((?:[^(){};]|\([^(){};]*+\))*+\))*+\)"
_TYPE = (
    rb"(?:(?:[\w.]+\.)?+[A-Z]\w*+|def|var|void|int|long|short|byte|char|boolean|float|double)"
    rb"(?:<[^(){};]*?>)?(?:\[\])*+"
)
GROOVY = by_braces(
    rb"(?:@(?!interface\b)[\w.]++(?:"
    + _GIVEN
    + rb")?\s+)*+(?:(?:public|private|protected|static|final|abstract"
    rb"|synchronized|transient|volatile|sealed|native)\s+)*+"
    rb"(?:(?P<word>class|interface|trait|enum|record|@interface)\s+(?P<name1>\w+)[^{};()\n]*+"
    rb"(?:" + _GIVEN + rb"[^{};()\n]*+)?\s*\{"
    rb"|(?:<[^(){};]*?>\s*)?"
    + _TYPE
    + rb"\s+(?P<name2>\w+|\"[^\"\n]+\"|'[^'\n]+')\s*"
    + _GIVEN
    + rb"\s*(?:throws\s+[\w., ]+)?\{"
    rb"|(?:<[^(){};]*?>\s*)?" + _TYPE + rb"\s+(?P<member1>\w+)\s*" + _GIVEN + rb"[ \t]*(?=[;}\n])"
    rb"|(?P<maker>[A-Z]\w*)\s*" + _GIVEN + rb"\s*(?:throws\s+[\w., ]+)?\{"
    rb"|" + _TYPE + rb"[ \t]+(?P<field>\w+)[ \t]*(?=[=;}\n]))",
    rb"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|'''(?:[^'\\]|\\.|'(?!''))*+'''"
    rb"|\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+\"\"\"|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'",
)
POWERSHELL = by_braces(
    rb"(?i:(?:\[[^\]\n]*\]\s*)*+(?P<word>class|enum)\s+(?P<name1>\w+)[^{};()\n]*+\{"
    rb"|(?:function|filter|workflow|configuration)\s+(?P<name2>(?:\w+:)?[\w-]+)\s*(?:\([^{}]*?\)\s*)?\{)",
    rb"<#(?:[^#]|#(?!>))*+#>|#[^\n]*+|@\"[ \t]*\n(?:[^\"]|\"(?!@))*+\"@"
    rb"|@'[ \t]*\n(?:[^']|'(?!@))*+'@"
    rb"|\"(?:[^\"`]|`.)*+\"|'[^']*+'",
)
